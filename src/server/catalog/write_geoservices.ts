import { isResourceId } from '../../contract/limits.ts'
import type { Queryable } from '../../database/database.ts'
import { listIconRecords } from '../../store/catalog/catalog_record.ts'
import { insertGeoservices, updateGeoservices } from '../../store/catalog/write_record.ts'
import { atOperation } from '../batch/operation_place.ts'
import type { OpenOperation } from './open_batch.ts'
import { geoserviceRow, invalidMember } from './record_content.ts'

/**
 * Adds and changes the geoservices of a batch. Its icons are written, its boundaries checked.
 *
 * @throws {Problem} catalog/invalid, with the operation
 */
export async function writeGeoservices(
  tx: Queryable,
  opened: readonly OpenOperation[],
  submitterId: number,
): Promise<void> {
  const own = opened.filter(({ kind, op }) => kind === 'geoservice' && op !== 'delete')
  if (own.length === 0) return
  const findIcon = await indexIcons(tx, opened)
  const written = own.map((operation) => ({
    operation,
    row: atOperation(operation, () =>
      geoserviceRow(operation.id, operation.members, findIcon(operation.members.icon)),
    ),
  }))
  const rowsOf = (op: OpenOperation['op']) =>
    written.filter(({ operation }) => operation.op === op).map(({ row }) => row)
  const [created, updated] = [rowsOf('create'), rowsOf('update')]
  if (created.length > 0) await insertGeoservices(tx, created, submitterId)
  if (updated.length > 0) await updateGeoservices(tx, updated)
}

/** Returns a function that finds the id of an icon by its id or local name. */
async function indexIcons(tx: Queryable, opened: readonly OpenOperation[]) {
  const names = new Map(opened.flatMap(({ name, id }) => (name === undefined ? [] : [[name, id] as const])))
  const asked = opened.flatMap(({ members: { icon } }) =>
    typeof icon === 'number' && isResourceId(icon) ? [icon] : [],
  )
  const known = new Set((await listIconRecords(tx, asked)).map(({ id }) => id))
  return (icon: unknown): number | null => {
    if (icon === undefined || icon === null) return null
    const id = typeof icon === 'number' ? icon : names.get(String(icon))
    if (id !== undefined && (typeof icon === 'string' || known.has(id))) return id
    const what = typeof icon === 'number' ? `id = ${icon}` : `the local name "${icon}"`
    throw invalidMember('icon', `there is no icon with ${what}`)
  }
}
