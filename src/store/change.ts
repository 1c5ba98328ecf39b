import type { Database } from '../database/database.ts'

/** Channel of the triggers of migration `change_notification`. */
const channel = 'landform_change'

/**
 * Calls back whenever a resource, permission or layer of this database may have changed, until the returned function is
 * called.
 *
 * @param onChange receives false when the connection is lost: changes are not heard until the next call
 */
export function listenToChanges(
  database: Database,
  onChange: (isHeard: boolean) => void,
): Promise<() => Promise<void>> {
  const onNotify = (payload: string) => {
    // An empty payload means that notifications may have been lost.
    if (payload === '' || payload === database.schema) onChange(true)
  }
  return database.listen(channel, onNotify, () => onChange(false))
}
