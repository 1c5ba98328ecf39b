/** Returns a path of this server; any other value, such as a URL of another site, becomes `/`. */
export function readNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/'
}

/** Returns the path of the sign-in page that redirects to a page of this server. */
export function loginAddress(next: string): string {
  return `/login?next=${encodeURIComponent(readNext(next))}`
}
