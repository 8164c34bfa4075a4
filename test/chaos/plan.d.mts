export interface Plan {
  seed: number;
  options: Record<string, boolean>;
  clients: { card: string; behaviour: string }[];
  actions: { at: number; do: string }[];
  points: { point: string; victim: string }[];
  hops: Record<string, { probability: number; modes: string[] }>;
}

export function planOf(seed: number): Plan;
