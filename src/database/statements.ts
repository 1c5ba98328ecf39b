import type { ClientBase } from 'pg'

/** Most statements that a connection keeps. */
const most = 200

interface Kept {
  readonly names: Map<string, string>
  /** Names are never used again. */
  count: number
}

const connections = new WeakMap<ClientBase, Kept>()

/**
 * Gives the name under which a connection keeps a statement: how it is read, and soon how it is carried out, is found
 * out once. When there are too many, all are forgotten.
 */
export async function keepStatement(client: ClientBase, text: string): Promise<string> {
  const kept = connections.get(client) ?? { names: new Map<string, string>(), count: 0 }
  connections.set(client, kept)
  const known = kept.names.get(text)
  if (known !== undefined) return known
  if (kept.names.size >= most) {
    kept.names.clear()
    await client.query('deallocate all')
  }
  kept.count += 1
  const name = `kept_${kept.count}`
  kept.names.set(text, name)
  return name
}
