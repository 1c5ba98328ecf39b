import type { Database } from '../../src/database/database.ts'
import { hashPassword } from '../../src/server/auth/password.ts'
import { testPasswordCost } from './server.ts'

/** Password of the users that `createUser` creates. */
export const userPassword = 'opensesame'

/** Creates a user with the password `userPassword`, and returns its id. */
export async function createUser(
  database: Database,
  keyname: string,
  displayName = keyname,
): Promise<number> {
  const [row] = await database.query<{ id: number }>(
    `insert into principal (kind, keyname, display_name, password_hash) values ('user', $1, $2, $3) returning id`,
    [keyname, displayName, await hashPassword(userPassword, testPasswordCost)],
  )
  if (row === undefined) throw new Error(`no user ${keyname}`)
  return row.id
}

/** Returns the id of a user or a group by its keyname. */
export async function principalId(database: Database, keyname: string): Promise<number> {
  const [row] = await database.query<{ id: number }>('select id from principal where keyname = $1', [keyname])
  if (row === undefined) throw new Error(`no principal ${keyname}`)
  return row.id
}
