/** Where people read an RFC and decide about it; `baseUrl` without `/api/cra`. */
export function approveUrl(baseUrl: string, rfcId: string): string {
  return `${baseUrl}/cra#approve-${rfcId}`;
}
