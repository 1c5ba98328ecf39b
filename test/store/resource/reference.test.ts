import { expect, test } from 'vitest'
import { restrictingColumns } from '../../../src/store/resource/reference.ts'
import { describeDrivers } from '../../support/drivers.ts'

describeDrivers('references', (open) => {
  test('lists every column that restricts the deletion of a resource', async () => {
    const database = await open()
    const rows = await database.query<{ name: string }>(`
      select c.conrelid::regclass::text || '.' || a.attname as name
        from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
       where c.contype = 'f' and c.confrelid = 'resource'::regclass and c.confdeltype in ('a', 'r')
         and c.conrelid <> 'resource'::regclass`)
    expect(rows.map(({ name }) => name).sort()).toEqual([...restrictingColumns].sort())
  })
})
