import proto, { type temporal } from '@temporalio/proto';
import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { replace } from '../globals.ts';
import { acceptedEvents, closeEvent, filterOf, infoOf } from './describe-runs.ts';
import type { Job, StartRequest } from './protocol.ts';
import { msOf, timestampOf } from './protocol.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { Run, Update } from './run.ts';
import type { TemporalServer } from './server.ts';
import type { WorkerOptions } from './worker.ts';

type Update_ = temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest;
type Execution = { workflowId?: string | null; runId?: string | null } | null | undefined;

const { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } = proto.temporal.api.enums.v1;
const { UpdateWorkflowExecutionLifecycleStage: stages } = proto.temporal.api.enums.v1;

/** The calls of Temporal's API that the service makes. */
class Service {
  readonly #server: TemporalServer;
  readonly #polls = new Map<string, { identity: string; lastAccessTime: object }[]>();

  constructor(server: TemporalServer) {
    this.#server = server;
  }

  async startWorkflowExecution(request: StartRequest) {
    const { run, isNew } = this.#start(request);
    return { runId: run.start.runId, started: isNew };
  }

  async signalWithStartWorkflowExecution(
    request: StartRequest & { signalName?: string; signalInput?: { payloads?: [] } },
  ) {
    const { run } = this.#start({
      ...request,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
    });
    this.#server.give(run, signalJob(request.signalName, request.signalInput));
    return { runId: run.start.runId };
  }

  async signalWorkflowExecution(request: temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest) {
    this.#server.give(this.#open(request.workflowExecution), signalJob(request.signalName, request.input));
    return {};
  }

  async terminateWorkflowExecution(
    request: temporal.api.workflowservice.v1.ITerminateWorkflowExecutionRequest,
  ) {
    this.#server.end(this.#open(request.workflowExecution));
    return {};
  }

  async updateWorkflowExecution(request: Update_) {
    const { workflowId, runId } = request.workflowExecution ?? {};
    const run = this.#server.latest(workflowId ?? '', runId);
    if (run === null) throw new RpcError(codes.notFound, 'workflow not found');
    return this.#update(run, request);
  }

  async executeMultiOperation(request: temporal.api.workflowservice.v1.IExecuteMultiOperationRequest) {
    const [first, second] = request.operations ?? [];
    const { run, isNew } = this.#start(first?.startWorkflow ?? {});
    const updateWorkflow = await this.#update(run, second?.updateWorkflow ?? {});
    return { responses: [{ startWorkflow: { runId: run.start.runId, started: isNew } }, { updateWorkflow }] };
  }

  async pollWorkflowExecutionUpdate(
    request: temporal.api.workflowservice.v1.IPollWorkflowExecutionUpdateRequest,
  ) {
    const { workflowExecution, updateId } = request.updateRef ?? {};
    const run = this.#server.latest(workflowExecution?.workflowId ?? '', workflowExecution?.runId);
    const update = run?.updates.get(updateId ?? '');
    if (!update) throw new RpcError(codes.notFound, 'update not found');
    return { outcome: await update.outcome };
  }

  async queryWorkflow(request: temporal.api.workflowservice.v1.IQueryWorkflowRequest) {
    const run = this.#server.latest(request.execution?.workflowId ?? '', request.execution?.runId);
    if (run === null) throw new RpcError(codes.notFound, 'workflow not found');
    const { scheduler } = this.#server;
    // A query waits for the task in progress.
    while (run.task !== null && run.isOpen) await scheduler.pause(5, 20);
    const worker = this.#server.pick(run.start.taskQueue, run);
    if (worker === null || run.tasks.length === 0) return new Promise<never>(() => undefined);
    const { queryType, queryArgs } = request.query ?? {};
    const job: Job = {
      queryWorkflow: {
        queryId: 'query',
        queryType: queryType ?? '',
        arguments: queryArgs?.payloads ?? [],
        headers: {},
      },
    };
    const activated = await this.#server.queryOn(worker, run, job);
    if (activated === null || 'failed' in activated)
      throw new RpcError(codes.notFound, 'no answer to the query');
    const answer = activated.commands[0]?.respondToQuery?.succeeded?.response;
    if (!answer) throw new RpcError(3, 'the query failed');
    return { queryResult: { payloads: [answer] } };
  }

  async describeWorkflowExecution(
    request: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionRequest,
  ) {
    const run = this.#server.latest(request.execution?.workflowId ?? '', request.execution?.runId);
    if (run === null) throw new RpcError(codes.notFound, 'workflow not found');
    return {
      workflowExecutionInfo: infoOf(run),
      ...(run.task === null ? {} : { pendingWorkflowTask: { attempt: run.tries } }),
      executionConfig: {},
    };
  }

  async listWorkflowExecutions(request: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest) {
    const wanted = filterOf(request.query ?? '');
    const executions = [...this.#server.runs.values()].flat().filter(wanted).map(infoOf);
    return { executions, nextPageToken: new Uint8Array() };
  }

  async getWorkflowExecutionHistory(
    request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest,
  ) {
    const run = this.#server.latest(request.execution?.workflowId ?? '', request.execution?.runId);
    if (run === null) throw new RpcError(codes.notFound, 'workflow not found');
    if (!request.waitNewEvent)
      return { history: { events: acceptedEvents(run) }, nextPageToken: new Uint8Array() };
    while (run.isOpen) await this.#server.scheduler.pause(20, 60);
    return { history: { events: [closeEvent(run)] }, nextPageToken: new Uint8Array() };
  }

  async pollWorkflowTaskQueue(request: { taskQueue?: { name?: string }; identity?: string }) {
    const name = request.taskQueue?.name ?? '';
    const lastAccessTime = timestampOf(this.#server.scheduler.nowMs);
    this.#polls.set(name, [{ identity: request.identity ?? '', lastAccessTime }]);
    return new Promise<never>(() => undefined);
  }

  async describeTaskQueue(request: { taskQueue?: { name?: string } }) {
    return { pollers: this.#polls.get(request.taskQueue?.name ?? '') ?? [] };
  }

  async describeSchedule() {
    throw new RpcError(codes.notFound, 'schedule not found');
  }

  async deleteSchedule() {
    throw new RpcError(codes.notFound, 'schedule not found');
  }

  #start(request: StartRequest): { run: Run; isNew: boolean } {
    const workflowId = request.workflowId ?? '';
    const policy = request.workflowIdConflictPolicy;
    const open = this.#server.open(workflowId);
    if (open !== null) {
      if (policy === WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
        return { run: open, isNew: false };
      if (policy !== WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
        throw new RpcError(codes.alreadyExists, 'workflow execution already started');
      this.#server.end(open);
    }
    const rejects =
      request.workflowIdReusePolicy === WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE;
    if (rejects && open === null && this.#server.latest(workflowId) !== null)
      throw new RpcError(codes.alreadyExists, 'workflow execution already started');
    const start = {
      workflowId,
      type: request.workflowType?.name ?? '',
      taskQueue: request.taskQueue?.name ?? '',
      input: request.input?.payloads ?? [],
      searchAttributes: { ...request.searchAttributes?.indexedFields },
    };
    return { run: this.#server.begin(start, msOf(request.workflowStartDelay) ?? 0), isNew: true };
  }

  async #update(run: Run, { request }: Update_) {
    const id = request?.meta?.updateId ?? '';
    if (this.#server.scheduler.draws('update dropped', 0.01))
      throw new RpcError(codes.unavailable, 'Workflow Update was aborted.');
    const update = this.#server.admit(run, id, updateJob(id, request));
    return answerOf(run, update, await update.outcome);
  }

  #open(execution: Execution): Run {
    const run = this.#server.latest(execution?.workflowId ?? '', execution?.runId);
    if (!run?.isOpen) throw new RpcError(codes.notFound, 'workflow execution already completed');
    return run;
  }
}

const answerOf = (run: Run, update: Update, outcome: object) => ({
  updateRef: {
    workflowExecution: { workflowId: run.start.workflowId, runId: run.start.runId },
    updateId: update.id,
  },
  stage: stages.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
  outcome,
});

const signalJob = (
  name: string | null | undefined,
  input: { payloads?: unknown } | null | undefined,
): Job => ({
  signalWorkflow: { signalName: name ?? '', input: (input?.payloads ?? []) as never, headers: {} },
});

const updateJob = (id: string, request: Update_['request']): Job => ({
  doUpdate: {
    id,
    protocolInstanceId: id,
    name: request?.input?.name ?? '',
    input: request?.input?.args?.payloads ?? [],
    headers: {},
    meta: { updateId: id, identity: '' },
    runValidator: true,
  },
});

/** Returns an object that the SDK's client and worker use as a connection. */
function connectionTo(server: TemporalServer, service: Service): object {
  const deadlines = new AsyncLocalStorage<number>();
  const { scheduler } = server;
  const within = async (name: string, call: () => Promise<unknown>): Promise<unknown> => {
    // The deadline is read by the clock of the calling process, which may be wrong.
    const withinMs = (deadlines.getStore() ?? Date.now() + 60_000) - Date.now();
    const callLost = scheduler.draws('call to Temporal lost', 0.004);
    const answerLost = !callLost && scheduler.draws('answer of Temporal lost', 0.004);
    const answer = (async () => {
      await scheduler.pause(0.2, 5);
      if (callLost) throw new RpcError(codes.unavailable, 'no connection');
      const value = await call();
      await scheduler.pause(0.1, 3);
      if (answerLost) throw new RpcError(codes.unavailable, 'the connection was lost');
      return value;
    })();
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new RpcError(codes.deadlineExceeded, `${name}: deadline exceeded`));
      const timer = scheduler.after(withinMs, null, late);
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  };
  const workflowService = new Proxy(service, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') {
        return () => Promise.reject(new RpcError(codes.unimplemented, `${String(name)} is not simulated`));
      }
      return (request: unknown) =>
        within(String(name), () => Reflect.apply(method, target, [request]) as Promise<unknown>);
    },
  });
  const asIs = <T>(_given: unknown, work: () => T): T => work();
  return {
    workflowService,
    operatorService: {},
    healthService: {},
    testService: {},
    plugins: [],
    options: {},
    ensureConnected: async () => undefined,
    close: async () => undefined,
    withDeadline: <T>(untilMs: number | Date, work: () => T): T => deadlines.run(Number(untilMs), work),
    withAbortSignal: asIs,
    withMetadata: asIs,
    withApiKey: asIs,
  };
}

/** Replaces the connections and workers of the SDK. Returns functions that restore them. */
export function serveTemporal(server: () => TemporalServer): (() => void)[] {
  const services = new WeakMap<TemporalServer, Service>();
  const connect = (): object => {
    const service = services.get(server()) ?? new Service(server());
    services.set(server(), service);
    return connectionTo(server(), service);
  };
  return [
    replace(Connection, 'lazy', connect),
    replace(Connection, 'connect', async () => connect()),
    replace(NativeConnection, 'connect', async () => connect()),
    replace(Worker, 'create', async (options: WorkerOptions) => server().createWorker(options)),
  ];
}
