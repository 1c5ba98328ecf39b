/** Maximum number of bytes of rows that are held until the server has answered. */
const maxHeldBytes = 256 * 2 ** 20

/** Yields streams once a promise is settled. Reads ahead until then, so that a source is read while the server works. */
export async function* readAhead(
  copies: AsyncIterable<AsyncIterable<Uint8Array>>,
  until: Promise<unknown>,
): AsyncGenerator<AsyncIterable<Uint8Array>> {
  const held: Uint8Array[][] = []
  let heldBytes = 0
  let isSettled = false
  const settled = until.then(
    () => undefined,
    () => undefined,
  )
  void settled.then(() => {
    isSettled = true
  })
  for await (const copy of copies) {
    if (!isSettled) {
      const chunks = await Array.fromAsync(copy)
      held.push(chunks)
      heldBytes += chunks.reduce((sum, { length }) => sum + length, 0)
      if (heldBytes > maxHeldBytes) await settled
      continue
    }
    for (const chunks of held.splice(0)) yield streamOf(chunks)
    yield copy
  }
  await settled
  for (const chunks of held) yield streamOf(chunks)
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
