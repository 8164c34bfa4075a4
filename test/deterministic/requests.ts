/** A request of the simulation. */
export interface Asked {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string;
}

/** Its answer. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: string;
}
