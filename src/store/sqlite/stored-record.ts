/** What writing steps look at before they change a row (`QUERIES.state`). */
export interface StateRow {
  tenant_id: string;
  status: string;
  rev: number;
  json: string;
}
