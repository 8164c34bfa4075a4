/** What a look leaves of an object's place in the queue of looks. */
export interface NextLook {
  id: string;
  /** Null: never again. */
  at: Date | null;
  /** Failed looks in a row. */
  failures: number;
}
