import { describe, expect, test } from 'vitest'
import { migrate, readMigrations } from '../../../src/database/migrate.ts'
import { findLookupLabels } from '../../../src/store/classes/lookup_labels.ts'
import { listColumns, memberTable, rowClsNames } from '../../../src/store/classes/member_table.ts'
import { migrationsFolder } from '../../../src/store/migrations.ts'
import { describeDrivers, drivers, openTestDatabase } from '../../support/drivers.ts'

describeDrivers('tables of classes', (open) => {
  test.each(rowClsNames)('%s: the columns are the fields of the contract', async (cls) => {
    const database = await open()
    const rows = await database.query<{ name: string; type: string; isNullable: boolean }>(
      `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as "isNullable"
         from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'resource_id'
        order by attnum`,
      [cls],
    )
    const columns = listColumns(cls).map(({ name, type, isNullable }) => ({ name, type, isNullable }))
    const sort = (list: typeof rows) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(sort(rows)).toEqual(sort(columns))
  })
})

const before = `
  insert into principal (id, kind, keyname, display_name) values (1, 'user', 'a', 'A');
  insert into resource (id, cls, owner_id, display_name) values (0, 'resource_group', 1, 'Root');
  insert into resource (id, cls, parent_id, owner_id, display_name)
    select n, 'any', 0, 1, n::text from generate_series(1, 7) as n;
  insert into lookup_table (resource_id, items, sort, key_order) values
    (1, '[["b","B"],["a","\\"A\\""]]', 'CUSTOM', '["a","b"]'), (2, '[]', 'KEY_ASC', null);
  insert into map_style (resource_id, xml) values (3, '<map/>');
  insert into desk_style (resource_id, qml) values (4, '<qgis/>');
  insert into wms_connection (resource_id, url, username, password, version, capabilities) values
    (5, 'https://a.example/', null, null, '1.3.0', '{"formats":["image/png"],"layers":[]}');
  insert into wms_layer (resource_id, srs, wmslayers, imgformat, vendor_params) values
    (6, 3857, 'a,b', 'image/png', '{"time":"now"}');
  insert into geodb_connection (resource_id, hostname, port, database, username, password, sslmode) values
    (7, 'a.example', '"5433"', 'd', 'u', 'sealed', null);`

describe.each(drivers)('the migration to tables of classes on %s', (driver) => {
  test('keeps what the tables hold', async () => {
    const database = await openTestDatabase(driver)
    try {
      const migrations = await readMigrations(migrationsFolder)
      await migrate(database, migrations.slice(0, 10), { version: '1.0.0' })
      await database.transaction(async (tx) => {
        for (const statement of before.split(';')) if (statement.trim() !== '') await tx.query(statement)
      })
      await migrate(database, migrations, { version: '1.0.0' })
      const find = async (cls: (typeof rowClsNames)[number]) =>
        Object.fromEntries(await memberTable(cls).find(database, [1, 2, 3, 4, 5, 6, 7]))
      expect(await find('lookup_table')).toEqual({
        1: { items: { b: 'B', a: '"A"' }, sort: 'CUSTOM', order: ['a', 'b'] },
        2: { items: {}, sort: 'KEY_ASC', order: null },
      })
      const keys = ['a', 'c'].flatMap((key) => [1, 2].map((table) => ({ table, key })))
      expect(await findLookupLabels(database, keys)).toEqual([{ table: 1, key: 'a', label: '"A"' }])
      expect(await find('mapsrv_style')).toEqual({ 3: { xml: '<map/>' } })
      expect(await find('desk_vector_style')).toEqual({ 4: { qml: '<qgis/>' } })
      expect(await find('wmsclient_connection')).toEqual({
        5: {
          url: 'https://a.example/',
          username: null,
          password: null,
          version: '1.3.0',
          capcache: { formats: ['image/png'], layers: [] },
        },
      })
      const layer = {
        srs: { id: 3857 },
        wmslayers: 'a,b',
        imgformat: 'image/png',
        vendor_params: { time: 'now' },
      }
      expect(await find('wmsclient_layer')).toEqual({ 6: layer })
      const login = { hostname: 'a.example', database: 'd', username: 'u', password: 'sealed' }
      expect(await find('geodb_connection')).toEqual({ 7: { ...login, port: '5433', sslmode: null } })
      await memberTable('wmsclient_layer').write(database, new Map([[6, { ...layer, srs: { id: 4326 } }]]))
      expect(await find('wmsclient_layer')).toEqual({ 6: { ...layer, srs: { id: 4326 } } })
    } finally {
      await database.close()
    }
  })
})
