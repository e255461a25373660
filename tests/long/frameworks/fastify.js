const fastify = require('fastify')();
const { store } = require('./notifications.js');

fastify.post('/hook', async (request) => {
  store(request.body);
  return '';
});
fastify.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
