// A right listener with four processes, which append to a log; who reads it drops the repeats.
const cluster = require("cluster"), fs = require("fs"), http = require("http");

if (cluster.isPrimary) {
  for (let i = 0; i < 4; i++) cluster.fork();
} else {
  const url = new URL(process.env.CREDHOOK_URL), log = fs.openSync(process.argv[2], "a");
  http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text) => { body += text; });
    request.on("end", () => {
      let line;
      try {
        const payload = JSON.parse(body);
        if (!payload.details.clientKey) throw new Error("not a notification");
        line = JSON.stringify(payload) + "\n";
      } catch {
        response.writeHead(400).end();
        return;
      }
      fs.writeSync(log, line);
      fs.fdatasyncSync(log);
      response.writeHead(204).end();
    });
  }).listen(url.port, url.hostname);
}
