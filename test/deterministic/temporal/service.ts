import proto, { type temporal } from '@temporalio/proto';
import { readEvents, closeEvent, filterOf, infoOf } from './describe-runs.ts';
import type { Job, StartRequest } from './protocol.ts';
import { msOf, timestampOf, usualTaskMs } from './protocol.ts';
import { askRun } from './queries.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { Run, Update } from './run.ts';
import type { TemporalServer } from './server.ts';

type Update_ = temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest;
type Execution = { workflowId?: string | null; runId?: string | null } | null | undefined;

const { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } = proto.temporal.api.enums.v1;
const { UpdateWorkflowExecutionLifecycleStage: stages } = proto.temporal.api.enums.v1;

/** The calls of Temporal's API that the service makes. */
export class Service {
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
    this.#signal(run, request.requestId, signalJob(request.signalName, request.signalInput));
    return { runId: run.start.runId };
  }

  async signalWorkflowExecution(request: temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest) {
    const run = this.#open(request.workflowExecution);
    this.#signal(run, request.requestId, signalJob(request.signalName, request.input));
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
    const { queryType, queryArgs } = request.query ?? {};
    const job: Job = {
      queryWorkflow: {
        queryId: 'query',
        queryType: queryType ?? '',
        arguments: queryArgs?.payloads ?? [],
        headers: {},
      },
    };
    const activated = await askRun(this.#server, run, job);
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
      return { history: { events: readEvents(run) }, nextPageToken: new Uint8Array() };
    while (run.isOpen) await this.#server.scheduler.pause(20, 60);
    return { history: { events: [closeEvent(run)] }, nextPageToken: new Uint8Array() };
  }

  async pollWorkflowTaskQueue(request: { taskQueue?: { name?: string }; identity?: string }) {
    const name = request.taskQueue?.name ?? '';
    const lastAccessTime = timestampOf(this.#server.nowMs);
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

  /** Gives a run a signal; a repeat of its request changes nothing. */
  #signal(run: Run, requestId: string | null | undefined, job: Job): void {
    const id = requestId ?? '';
    if (id !== '' && run.signalRequests.has(id)) return;
    run.signalRequests.add(id);
    this.#server.give(run, job);
  }

  #start(request: StartRequest): { run: Run; isNew: boolean } {
    const workflowId = request.workflowId ?? '';
    const latest = this.#server.latest(workflowId);
    if (latest && request.requestId && latest.start.requestId === request.requestId)
      return { run: latest, isNew: true };
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
      taskMs: msOf(request.workflowTaskTimeout) ?? usualTaskMs,
      requestId: request.requestId ?? '',
    };
    const run = this.#server.begin(start, msOf(request.workflowStartDelay) ?? 0);
    const limitMs = msOf(request.workflowExecutionTimeout);
    if (limitMs) this.#server.scheduler.outside(limitMs, null, () => this.#server.end(run, 'TIMED_OUT'));
    return { run, isNew: true };
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
