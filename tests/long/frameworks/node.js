const http = require('node:http');
const { store } = require('./notifications.js');

http.createServer((request, response) => {
  const chunks = [];
  if (request.url !== '/hook') return response.writeHead(404).end();
  if (request.method !== 'POST') return response.writeHead(405).end();
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    try {
      store(JSON.parse(Buffer.concat(chunks)));
      response.writeHead(200).end();
    } catch (error) {
      response.writeHead(error instanceof SyntaxError ? 400 : 500).end(String(error));
    }
  });
}).listen(process.argv[2], '127.0.0.1');
