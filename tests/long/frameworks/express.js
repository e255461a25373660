const express = require('express');
const { store } = require('./notifications.js');

const app = express();
app.use(express.json());
app.post('/hook', (request, response) => {
  store(request.body);
  response.sendStatus(200);
});
app.listen(process.argv[2], '127.0.0.1');
