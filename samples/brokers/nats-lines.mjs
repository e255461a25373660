// nats-lines.mjs put STREAM: stores each line of stdin in a stream
// nats-lines.mjs get STREAM: prints what it holds, from its beginning
import { once } from "node:events";
import { createInterface } from "node:readline";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const [task, stream] = process.argv.slice(2);
const connection = await connect({ servers: process.env.NATS_URL });
const client = jetstream(connection);
if (task === "put") {
	const manager = await jetstreamManager(connection);
	await manager.streams.add({ name: stream, subjects: [stream] });
	for await (const line of createInterface({ input: process.stdin }))
		await client.publish(stream, line); // until it is stored
} else {
	process.exitCode = 1; // unless it reaches the end
	const consumer = await client.consumers.get(stream); // in order
	for await (const message of await consumer.consume()) {
		if (!process.stdout.write(message.string() + "\n"))
			await once(process.stdout, "drain");
		if (message.info.pending === 0) {
			process.exitCode = 0;
			break;
		}
	}
}
await connection.close();
