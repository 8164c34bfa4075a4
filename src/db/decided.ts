/** A row after a decision, with the ids of the events the decision made; none when nothing changed. */
export interface Decided<Row> {
  row: Row;
  eventIds: string[];
}

export const decided = <Row>(row: Row, eventIds: string[]): Decided<Row> => ({ row, eventIds });
export const unchanged = <Row>(row: Row): Decided<Row> => ({ row, eventIds: [] });
