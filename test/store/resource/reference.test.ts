import { expect, test } from 'vitest'
import { clsNames } from '../../../src/contract/registry.ts'
import type { Database } from '../../../src/database/database.ts'
import { listReferenceColumns } from '../../../src/store/resource/reference.ts'
import { describeDrivers } from '../../support/drivers.ts'

const actions = { a: 'refuse', r: 'refuse', c: 'remove', n: 'clear' } as const

/** Lists the foreign keys to a table, with what deleting the target does to the row. */
async function listForeignKeys(database: Database, target: string): Promise<Map<string, string>> {
  const rows = await database.query<{ name: string; action: keyof typeof actions }>(
    `select c.conrelid::regclass::text || '.' || a.attname as name, c.confdeltype as action
       from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
      where c.contype = 'f' and c.confrelid = $1::regclass`,
    [target],
  )
  return new Map(rows.map(({ name, action }) => [name, actions[action]]))
}

describeDrivers('references', (open) => {
  test('every reference of the contract has a foreign key that does what the contract says', async () => {
    const keys = await listForeignKeys(await open(), 'resource')
    const references = clsNames.flatMap(listReferenceColumns)
    expect(references.map(({ path }) => path)).toContain('webmap.root_item.children.layer_style_id')
    for (const { path, table, column, onDelete } of references)
      expect([path, keys.get(`${table}.${column}`)]).toEqual([path, onDelete])
  })

  test('classes that share the column of a reference need the same permission to read it', () => {
    const references = clsNames.flatMap(listReferenceColumns)
    for (const [name, group] of Map.groupBy(references, ({ table, column }) => `${table}.${column}`))
      expect([name, new Set(group.map(({ read }) => read)).size]).toEqual([name, 1])
    expect(references).toContainEqual(
      expect.objectContaining({ table: 'layer_field', read: 'datastruct.read' }),
    )
  })

  test('every other foreign key to a resource deletes the row with its resource', async () => {
    const keys = await listForeignKeys(await open(), 'resource')
    for (const { table, column } of clsNames.flatMap(listReferenceColumns)) keys.delete(`${table}.${column}`)
    expect(keys.get('resource.parent_id')).toBe('refuse')
    keys.delete('resource.parent_id')
    expect(new Set(keys.values())).toEqual(new Set(['remove']))
  })

  test('no row refers to a blob that can be deleted', async () => {
    const keys = await listForeignKeys(await open(), 'blob')
    expect([...keys.keys()]).toEqual(expect.arrayContaining(['upload.digest', 'raster_layer.source_digest']))
    expect(new Set(keys.values())).toEqual(new Set(['refuse']))
  })
})
