import { expect, test } from 'vitest'
import { createConnection, createGeodbLayer, useForeign } from '../../support/geodb.ts'
import { createGroup } from '../../support/resources.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { allow } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

const openForeign = useForeign()

const read = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ geodb_connection: object }>()).geodb_connection

const change = (ask: Ask, id: number, connection: object) =>
  ask('PUT', `/api/resource/${id}`, { geodb_connection: connection })

const told = async (answer: { status: number; json<T>(): Promise<T> }) => [
  answer.status,
  (await answer.json<{ message: string }>()).message,
]

const place = { hostname: 'db.example.org', port: 5433, database: 'gis', username: 'ann' }

describeServer('connections to foreign databases', (start) => {
  test('are read back without their password, and do not connect until it is needed', async () => {
    const { admin } = await start()
    const id = await createConnection(admin, 'Read', { ...place, password: 'sesame-1' })
    const text = await (await admin('GET', `/api/resource/${id}`)).text()
    expect(text).not.toContain('sesame-1')
    expect(JSON.parse(text).geodb_connection).toEqual({ ...place, sslmode: null })
    const more = { ...place, port: '5433', sslmode: 'verify-full', password: '' }
    const plain = await createConnection(admin, 'As given', more)
    expect(await read(admin, plain)).toEqual({ ...place, port: '5433', sslmode: 'verify-full' })
  })

  test('are changed member by member, and stay unchanged when sent back', async () => {
    const { admin } = await start()
    const id = await createConnection(admin, 'Changed', { ...place, password: 'sesame' })
    const whole = await read(admin, id)
    expect((await change(admin, id, whole)).status).toBe(200)
    expect(await read(admin, id)).toEqual(whole)
    expect((await change(admin, id, { database: 'other', username: 'bob' })).status).toBe(200)
    expect(await read(admin, id)).toEqual({ ...whole, database: 'other', username: 'bob' })
  })

  test('encrypt their password, and keep it if an update has none', async () => {
    const { admin, database, running } = await start()
    const id = await createConnection(admin, 'Sealed', { ...place, password: 'sesame-2' })
    await change(admin, id, { username: 'bob' })
    const [kept] = await database.query<{ password: string }>(
      'select * from geodb_connection where resource_id = $1',
      [id],
    )
    expect(JSON.stringify(kept)).not.toContain('sesame-2')
    const { secrets } = running.context
    expect(secrets.open(kept?.password ?? '', `geodb_connection.password:${id}`)).toBe('sesame-2')
    await change(admin, id, { password: 'sesame-3' })
    const [changed] = await database.query<{ password: string }>(
      'select password from geodb_connection where resource_id = $1',
      [id],
    )
    expect(secrets.open(changed?.password ?? '', `geodb_connection.password:${id}`)).toBe('sesame-3')
  })

  test.each([
    { hostname: 'thief.example.org' },
    { port: 5432 },
    { port: null },
    { sslmode: 'disable' },
    { sslmode: 'verify-full' },
  ])('do not send their password to another server: %j', async (other) => {
    const { admin } = await start()
    const id = await createConnection(admin, JSON.stringify(other), { ...place, password: 'sesame' })
    expect(await told(await change(admin, id, other))).toEqual([
      422,
      expect.stringContaining(
        `${Object.keys(other)[0]} changes only together with the stored password - at $.geodb_connection.password`,
      ),
    ])
    expect((await change(admin, id, { ...other, password: 'new' })).status).toBe(200)
    expect(await read(admin, id)).toMatchObject(other)
  })

  test.each([
    ['a socket of this machine', { hostname: '/var/run/postgresql' }, 'hostname'],
    ['a list of hosts', { hostname: 'a,b' }, 'hostname'],
    ['a host with a login', { hostname: 'ann:sesame@db' }, 'hostname'],
    ['no host', { hostname: '' }, 'hostname'],
    ['a port beyond all', { port: 70_000 }, 'port'],
    ['a port beyond all, as text', { port: '99999' }, 'port'],
    ['a port that is a word', { port: 'postgres' }, 'port'],
    ['nobody', { username: '' }, 'username'],
    ['no database', { database: '' }, 'database'],
    ['an unknown way to secure it', { sslmode: 'always' }, 'sslmode'],
    ['a password that is none', { password: 7 }, 'password'],
  ])('to %s are refused with the location and without the password', async (name, member, field) => {
    const { admin } = await start()
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'geodb_connection', parent: { id: 0 }, display_name: name },
      geodb_connection: { ...place, password: 'open-sesame', ...member },
    })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).message]).toEqual([
      422,
      expect.stringMatching(new RegExp(`- at \\$\\.geodb_connection\\.${field}$`)),
    ])
    expect(text).not.toContain('open-sesame')
  })

  test('list the tables of the database for users with connection.connect', async () => {
    const { admin } = await start()
    const { execute, connection } = await openForeign()
    await execute(`drop schema if exists "Roads & paths" cascade; create schema "Roads & paths"
      create table "Main ""roads""" (id bigint primary key, way geometry(LineStringZ, 25832), name varchar(20) not null)
      create view paths as select 1 as id`)
    const id = await createConnection(admin, 'Inspected', connection)
    const schemas = await (await admin('GET', `/api/resource/${id}/inspect/`)).json<{ name: string }[]>()
    expect(schemas.map(({ name }) => name)).toEqual(['Roads & paths', 'public'])
    expect(schemas[0]).toEqual({ name: 'Roads & paths', tables: ['Main "roads"'], views: ['paths'] })
    const path = `/api/resource/${id}/inspect/${encodeURIComponent('Main "roads"')}/`
    const nothing = { geometry_type: null, srs: null }
    expect(
      await (await admin('GET', `${path}?schema=${encodeURIComponent('Roads & paths')}`)).json(),
    ).toEqual([
      { name: 'id', type: 'bigint', datatype: 'BIGINT', nullable: false, unique: true, ...nothing },
      {
        ...{ name: 'way', type: 'geometry', datatype: null, nullable: true, unique: false },
        ...{ geometry_type: 'LINESTRINGZ', srs: { id: 25832 } },
      },
      {
        ...{ name: 'name', type: 'character varying', datatype: 'STRING', nullable: false, unique: false },
        ...nothing,
      },
    ])
    expect(await told(await admin('GET', path))).toEqual([
      422,
      expect.stringContaining('schema "public" has no table or view "Main "roads""'),
    ])
  })

  test('require connection.connect to use and connection.read to read, independent of the layer', async () => {
    const { admin, as, database } = await start()
    const { execute, connection } = await openForeign()
    await execute(`drop table if exists guarded;
      create table guarded (id serial primary key, geom geometry(Point, 3857)); insert into guarded default values`)
    const user = await createUser(database, 'reader')
    const reader = as('reader', userPassword)
    const id = await createConnection(admin, 'Guarded', connection)
    const table = { table: 'guarded', connection: { id } }
    const layer = await createGeodbLayer(admin, { name: 'Guarded layer', ...table })
    const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
    const atRoot = { ...allow(user, 'resource', 'read'), propagate: false }
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...root.resource.permissions, atRoot] },
    })
    const permissions = ['resource', 'datastruct'].map((scope) => allow(user, scope))
    const group = await createGroup(admin, 0, { display_name: 'Theirs', permissions })
    await admin('PUT', `/api/resource/${layer}`, {
      resource: { permissions: ['resource', 'data'].map((scope) => allow(user, scope)) },
    })
    let made = 0
    const seen = async () => {
      made += 1
      const permitted = await (await reader('GET', `/api/resource/${layer}/permission`)).json<{
        data: { read: boolean; write: boolean }
      }>()
      const creation = await reader('POST', '/api/resource/', {
        resource: { cls: 'geodb_layer', parent: { id: group }, display_name: `Theirs ${made}` },
        geodb_layer: { schema: 'public', column_id: 'id', column_geom: 'geom', ...table },
      })
      return {
        members: Object.keys(await read(reader, id)),
        inspect: (await reader('GET', `/api/resource/${id}/inspect/`)).status,
        count: (await reader('GET', `/api/resource/${layer}/feature_count`)).status,
        write: (await reader('POST', `/api/resource/${layer}/feature/`, { fields: {} })).status,
        data: permitted.data,
        change: (await change(reader, id, { password: connection.password })).status,
        create: creation.status,
      }
    }
    const permit = (...names: string[]) =>
      admin('PUT', `/api/resource/${id}`, {
        resource: {
          permissions: [allow(user, 'resource'), ...names.map((name) => allow(user, 'connection', name))],
        },
      })
    const all = ['hostname', 'port', 'database', 'username', 'sslmode']
    const none = { inspect: 403, count: 403, write: 403, data: { read: false, write: false }, create: 403 }
    await permit()
    expect(await seen()).toEqual({ ...none, members: [], change: 403 })
    await permit('read')
    expect(await seen()).toEqual({ ...none, members: all, change: 403 })
    await permit('read', 'write')
    expect(await seen()).toEqual({ ...none, members: all, change: 200 })
    await permit('connect')
    expect(await seen()).toEqual({
      ...{ members: [], inspect: 200, count: 200, write: 200, data: { read: true, write: true } },
      ...{ change: 403, create: 200 },
    })
  })

  test('whose password cannot be decrypted fail only when it is needed', async () => {
    const { admin, database } = await start()
    const { execute, connection } = await openForeign()
    await execute(
      'drop table if exists sealed; create table sealed (id int primary key, geom geometry(Point, 3857))',
    )
    const id = await createConnection(admin, 'Unreadable', connection)
    const layer = await createGeodbLayer(admin, {
      name: 'Unreadable layer',
      table: 'sealed',
      connection: { id },
    })
    await database.query(
      `update geodb_connection set password = 'v1.00000000.AAAA' where resource_id = $1::int`,
      [id],
    )
    expect((await admin('GET', `/api/resource/${layer}/feature_count`)).status).toBe(503)
    expect((await admin('GET', `/api/resource/${layer}`)).status).toBe(200)
    const place = { srs: 3857, geom: 'POLYGON ((0 0, 1 0, 1 1, 0 0))', layers: [layer] }
    const found = await admin('POST', '/api/feature_layer/identify', place)
    expect(await found.json()).toEqual({
      [layer]: { error: expect.stringContaining('password') },
      featureCount: 0,
    })
    expect((await change(admin, id, { password: 'again' })).status).toBe(200)
    expect((await admin('GET', `/api/resource/${layer}/feature_count`)).status).toBe(200)
  })

  test('use the stored password, and a wrong one is reported without showing it', async () => {
    const { admin } = await start()
    const { execute, connection } = await openForeign()
    const login = { ...connection, username: `ann_${connection.database}` }
    await execute(`do $$ begin create role ${login.username} login password 'right-sesame';
      exception when duplicate_object then null; end $$`)
    const restore = await requirePassword(execute, login.username)
    try {
      const id = await createConnection(admin, 'Login', { ...login, password: 'wrong-sesame' })
      const inspect = () => admin('GET', `/api/resource/${id}/inspect/`)
      const refused = await inspect()
      const text = await refused.text()
      expect([refused.status, JSON.parse(text)]).toEqual([
        503,
        expect.objectContaining({
          code: 'external/database',
          message: `The database of connection id = ${id}: authentication failed.`,
          data: { connection: { id }, sqlstate: '28P01' },
        }),
      ])
      expect(text).not.toContain('sesame')
      await change(admin, id, { password: 'right-sesame' })
      expect((await inspect()).status).toBe(200)
      await change(admin, id, { password: '' })
      expect(await told(await inspect())).toEqual([503, expect.stringContaining('the user needs a password')])
    } finally {
      await restore()
    }
  })
})

/** Makes the server of the foreign database ask one login for its password. Gives how to undo that. */
async function requirePassword(
  execute: (sql: string) => Promise<Record<string, unknown>[]>,
  login: string,
): Promise<() => Promise<void>> {
  const [row] = await execute(`select setting as path, pg_read_file(setting) as rules
    from pg_settings where name = 'hba_file'`)
  const { path, rules } = row as { path: string; rules: string }
  const line = `host all ${login} all scram-sha-256`
  const write = async (text: string) => {
    const lines = text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))
    const values = lines.map((one) => `('${one.replaceAll("'", "''")}')`).join(', ')
    await execute(`copy (select * from (values ${values}) as v (line)) to '${path}'`)
    await execute('select pg_reload_conf()')
  }
  await write(`${line}\n${rules}`)
  return async () => {
    await write(rules)
    await execute(`drop role ${login}`)
  }
}
