export interface ProcessRecord {
  pid: number;
  startedAt?: string | undefined;
}

export function processIdentity(pid: number): string | undefined;
export function isSameProcess(record: ProcessRecord): boolean;
