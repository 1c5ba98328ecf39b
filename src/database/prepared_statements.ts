import type { ClientBase } from 'pg'

/** Maximum number of prepared statements of a connection. */
const maxStatements = 200

interface PreparedStatements {
  readonly names: Map<string, string>
  /** Number of statements prepared so far; names are never reused. */
  count: number
}

const connections = new WeakMap<ClientBase, PreparedStatements>()

/**
 * Returns the name of the prepared statement of a text on a connection, so that it is parsed and planned once. If there
 * are too many, all are deallocated.
 */
export async function nameStatement(client: ClientBase, text: string): Promise<string> {
  const statements = connections.get(client) ?? { names: new Map<string, string>(), count: 0 }
  connections.set(client, statements)
  const existing = statements.names.get(text)
  if (existing !== undefined) return existing
  if (statements.names.size >= maxStatements) {
    statements.names.clear()
    await client.query('deallocate all')
  }
  statements.count += 1
  const name = `prepared_${statements.count}`
  statements.names.set(text, name)
  return name
}
