/** Milliseconds for which a request may wait for its turn, and for the network. */
const baseMs = 60_000

/**
 * Returns the milliseconds after which a request, or what is left of its response, is given up: longer than the server reads
 * the layers of an image, and then draws it.
 *
 * @param dataset of the body of the page, which has the limit of the server in seconds if it shows images of the server
 */
export function patienceOf({ renderTimeout = '0' }: { readonly renderTimeout?: string | undefined }): number {
  return baseMs + 2 * 1000 * Number(renderTimeout)
}
