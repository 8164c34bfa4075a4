import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { searchAttributes } from '../src/temporal/contract/search-attributes.ts';

/** A payment's history must outlive its idempotency key, which is kept for a day. */
const RETENTION_SECONDS = 72 * 3600;
const POLL_MS = 100;
const GRPC_NOT_FOUND = 5;
const GRPC_ALREADY_EXISTS = 6;

/**
 * Creates the namespace unless it exists, registers the service's search attributes in it, and waits until
 * the server accepts workflows that use them.
 */
export async function prepareNamespace(
  connection: Connection,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  await ensureNamespace(connection, namespace);
  await registerSearchAttributes(connection, namespace);
  // The server's parts load a namespace and its attributes one after the other, within seconds.
  const names = Object.keys(searchAttributes).map((name) => `${name} IS NULL`);
  const query = `WorkflowId = 'none' AND (${names.join(' OR ')})`;
  for (;;) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** Registers the service's search attributes that the namespace lacks. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { temporal } = (await import('@temporalio/proto')).default;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (missing.length === 0) return;
  const types = temporal.api.enums.v1.IndexedValueType;
  const wireTypes = {
    Keyword: types.INDEXED_VALUE_TYPE_KEYWORD,
    Int: types.INDEXED_VALUE_TYPE_INT,
    Bool: types.INDEXED_VALUE_TYPE_BOOL,
  };
  const added = Object.fromEntries(missing.map(([name, type]) => [name, wireTypes[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: added });
}

async function ensureNamespace({ workflowService }: Connection, namespace: string): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace });
    return;
  } catch (error) {
    if (grpcCode(error) !== GRPC_NOT_FOUND) throw error;
  }
  const { google } = (await import('@temporalio/proto')).default;
  try {
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: google.protobuf.Duration.fromObject({ seconds: RETENTION_SECONDS }),
    });
  } catch (error) {
    if (grpcCode(error) !== GRPC_ALREADY_EXISTS) throw error;
  }
}

const grpcCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
