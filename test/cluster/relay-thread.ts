/**
 * The thread of a relay (`relay.ts`). `workerData`: the port on 127.0.0.1 that connections go to. Posts its
 * own port; each message to it is a mode.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type RelayMode, tcpRelay } from '../support/harness/tcp-relay.ts';

const relay = await tcpRelay();
relay.targetPort = Number(workerData);
parentPort?.on('message', (mode: RelayMode) => relay.be(mode));
parentPort?.postMessage(relay.port);
