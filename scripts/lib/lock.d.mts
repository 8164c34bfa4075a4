export interface LockHolder {
  pid: number;
  startedAt?: string;
  stopping?: boolean;
}

export interface Lock {
  update(notes: { stopping?: boolean }): void;
  release(): void;
}

export function tryLock(
  path: string,
): { lock: Lock; holder?: undefined } | { lock?: undefined; holder: LockHolder };

export function withLock<T>(
  path: string,
  options: { timeoutMs: number; onWait?: (holder: LockHolder) => void },
  work: () => Promise<T>,
): Promise<T>;
