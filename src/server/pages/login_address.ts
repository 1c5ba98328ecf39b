/** Gives the path of a page of this server; whatever else is asked for leads to the root of the tree. */
export function readNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/'
}

/** Gives the address of the form to log in with, from which the login leads on to a page of this server. */
export function loginAddress(next: string): string {
  return `/login?next=${encodeURIComponent(readNext(next))}`
}
