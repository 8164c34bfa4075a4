/** Where a walk over the open payments goes on. JSON, so that it travels through a workflow's result. */
export interface SweepCursor {
  /** ISO 8601. */
  createdAt: string;
  id: string;
}
