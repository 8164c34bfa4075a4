import proto from '@temporalio/proto';
import { TypedSearchAttributes, type LoadedDataConverter } from '@temporalio/common';
import { WorkflowCodecRunner } from '@temporalio/worker/lib/workflow-codec-runner.js';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { type Command, type Failure, type Job, type RunStart, namespace, timestampOf } from './protocol.ts';

const { WorkflowActivation } = proto.coresdk.workflow_activation;

/** The result of one activation of a workflow. */
export type Activated = { commands: Command[]; flags: number[] } | { failed: string };

export interface ActivateOptions {
  atMs: number;
  isReplaying: boolean;
  flags: number[];
  suggestsNew?: boolean;
}

/** A workflow of the bundle in the SDK's own sandbox, behind its worker's codec. */
export class WorkflowInstance {
  readonly start: RunStart;
  readonly #workflow: Workflow;
  readonly #codec: WorkflowCodecRunner;

  private constructor(start: RunStart, workflow: Workflow, codec: WorkflowCodecRunner) {
    this.start = start;
    this.#workflow = workflow;
    this.#codec = codec;
  }

  static async create(
    creator: WorkflowCreator,
    { payloadCodecs }: LoadedDataConverter,
    start: RunStart,
  ): Promise<WorkflowInstance> {
    const { workflowId, runId, firstRunId, type, taskQueue, startedAtMs, taskMs } = start;
    const workflow = await creator.createWorkflow({
      info: {
        workflowId,
        runId,
        workflowType: type,
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
        taskQueue,
        namespace,
        firstExecutionRunId: firstRunId,
        startTime: new Date(startedAtMs),
        runStartTime: new Date(startedAtMs),
        taskTimeoutMs: taskMs,
        attempt: 1,
        historyLength: 3,
        historySize: 300,
        continueAsNewSuggested: false,
        unsafe: { now: () => Date.now(), isReplaying: false, isReplayingHistoryEvents: false },
      } as never,
      randomnessSeed: [...Buffer.from(firstRunId)],
      now: startedAtMs,
      showStackTraceSources: false,
      failureExceptionTypeNames: [],
    });
    const place = { type: 'workflow', namespace, workflowId } as const;
    return new WorkflowInstance(start, workflow, new WorkflowCodecRunner(payloadCodecs, place));
  }

  /** Returns the job that begins the run. */
  initialize(): Job {
    const { workflowId, firstRunId, type, input, searchAttributes, startedAtMs } = this.start;
    return {
      initializeWorkflow: {
        workflowType: type,
        workflowId,
        arguments: input,
        randomnessSeed: 1 as never,
        headers: {},
        firstExecutionRunId: firstRunId,
        attempt: 1,
        startTime: timestampOf(startedAtMs) as never,
        searchAttributes: { indexedFields: searchAttributes },
      },
    };
  }

  async activate(
    jobs: Job[],
    { atMs, isReplaying, flags, suggestsNew = false }: ActivateOptions,
  ): Promise<Activated> {
    const decoded = await this.#codec.decodeActivation(
      WorkflowActivation.fromObject({
        runId: this.start.runId,
        timestamp: timestampOf(atMs),
        isReplaying,
        historyLength: 3,
        historySizeBytes: 300,
        availableInternalFlags: flags,
        continueAsNewSuggested: suggestsNew,
        jobs,
      }),
    );
    const plain = await this.#workflow.activate(decoded);
    await this.#workflow.getAndResetSinkCalls();
    if (plain.failed) return { failed: reasonOf(plain.failed.failure) };
    const completion = await this.#codec.encodeCompletion(plain);
    const { commands, usedInternalFlags } = completion.successful ?? {};
    return { commands: commands ?? [], flags: usedInternalFlags ?? [] };
  }

  dispose(): Promise<void> {
    return this.#workflow.dispose();
  }
}

/** Returns the reason of a failure, which the failure converter moved into a payload. */
const reasonOf = (failure: Failure | null | undefined): string =>
  Buffer.from(failure?.encodedAttributes?.data ?? []).toString('utf8') || (failure?.message ?? 'no reason');
