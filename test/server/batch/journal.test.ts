import { beforeAll, expect, test } from 'vitest'
import { type JournalEntry, journalDays, maxJournalEntries } from '../../../src/contract/bodies/journal.ts'
import type { Database } from '../../../src/database/database.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { findRestorable } from '../../../src/store/resource/deleted_resource.ts'
import { groupBody } from '../../support/batch.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

const journal = '/api/component/landform/journal/'

const change = (key: string, action = 'create', id?: number) => ({
  ...{ action, key, cls: 'resource_group', display_name: key },
  ...(id === undefined ? {} : { id }),
})

/** Returns which deleted resources a user may restore. */
async function readOthers(database: Database, keyname: string, ids: readonly number[]): Promise<number[]> {
  const restorer = { id: await principalId(database, keyname), isAdministrator: false, superuser: false }
  return [...(await findRestorable(database, ids, restorer))]
}

describeServers('the journal', (start) => {
  let server: TestServer
  let ada: Ask
  let bob: Ask
  beforeAll(async () => {
    server = await start()
    await createUser(server.database, 'ada')
    await createUser(server.database, 'bob')
    ada = server.as('ada', userPassword)
    bob = server.as('bob', userPassword)
  })

  const begin = async (changes: readonly object[], ask: Ask = server.admin) => {
    const answer = await ask('POST', journal, { manifest: 'city', commit: '9f31c2e', plan: 'ab12', changes })
    expect(answer.status).toBe(200)
    return (await answer.json<{ id: number }>()).id
  }
  const read = async (id: number, ask: Ask = server.admin) =>
    (await ask('GET', `${journal}${id}`)).json<JournalEntry>()
  const list = async (query: string, ask: Ask = server.admin) =>
    (await ask('GET', `${journal}?${query}`)).json<JournalEntry[]>()
  const sendBatch = (id: number, operations: readonly object[], ask: Ask = server.admin) =>
    ask('POST', '/api/component/landform/batch', { journal: id, operations })
  const finish = (id: number, body: object, ask: Ask = server.admin) => ask('PUT', `${journal}${id}`, body)

  test('a batch completes its entry in its own transaction, with the ids of created resources', async () => {
    const old = await createGroup(server.admin, 0, { display_name: 'Journal old' })
    const id = await begin([change('fresh'), change('old', 'update', old)])
    expect(await read(id)).toMatchObject({
      result: null,
      ended: null,
      counts: { 'to create': 1, 'to update': 1 },
    })
    const answer = await sendBatch(id, [
      { op: 'create', name: 'fresh', body: groupBody('Journal fresh') },
      { op: 'update', id: old, body: { resource: { description: 'new' } } },
    ])
    const { results } = await answer.json<{ results: { id: number }[] }>()
    expect(await read(id)).toEqual({
      ...{ id, user: 'administrator', manifest: 'city', commit: '9f31c2e', plan: 'ab12', undoes: null },
      began: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      ended: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      result: 'applied',
      counts: { created: 1, updated: 1 },
      changes: [
        {
          ...change('fresh', 'create', results[0]?.id),
          outcome: 'created',
          version: 1,
          data_version: null,
          loses: [],
          bad_count: 0,
        },
        {
          ...change('old', 'update', old),
          outcome: 'updated',
          version: 2,
          data_version: null,
          loses: [],
          bad_count: 0,
        },
      ],
    })
  })

  test('a batch that fails leaves its entry open, and the client reports the failure', async () => {
    const id = await begin([change('twin')])
    const twins = [1, 2].map(() => ({ op: 'create', body: groupBody('Journal twin') }))
    expect((await sendBatch(id, twins)).status).toBe(422)
    expect(await read(id)).toMatchObject({ result: null, ended: null })
    expect((await finish(id, { result: 'failed', outcomes: [{ outcome: 'failed' }] })).status).toBe(200)
    expect(await read(id)).toMatchObject({ result: 'failed', counts: { failed: 1 } })
  })

  test('a batch without some of the changes makes its entry partial', async () => {
    const id = await begin([change('part'), change('rest')])
    await sendBatch(id, [{ op: 'create', name: 'part', body: groupBody('Journal part') }])
    expect(await read(id)).toMatchObject({ result: 'partial', counts: { created: 1, 'to create': 1 } })
  })

  test('an entry belongs to one batch, and to its user', async () => {
    const id = await begin([change('once')])
    const operations = [{ op: 'create', name: 'once', body: groupBody('Journal once') }]
    expect((await sendBatch(id, operations)).status).toBe(200)
    const again = [{ op: 'create', name: 'once', body: groupBody('Journal again') }]
    for (const other of [id, 2 ** 31, 99_999]) {
      const refused = await sendBatch(other, again)
      expect([refused.status, await refused.json()]).toEqual([
        422,
        expect.objectContaining({
          code: 'request/invalid',
          data: expect.objectContaining({ location: ['body', '/journal'] }),
        }),
      ])
    }
    const theirs = await begin([change('again')], ada)
    expect((await sendBatch(theirs, again)).status).toBe(422)
    expect((await server.admin('GET', '/api/resource/search/?display_name=Journal%20again')).status).toBe(200)
    expect(
      await (await server.admin('GET', '/api/resource/search/?display_name=Journal%20again')).json(),
    ).toEqual([])
  })

  test('a deleted resource is restored with its id and continued versions, by who deleted it', async () => {
    const group = await createGroup(server.admin, 0, { display_name: 'Journal restored' })
    const body = {
      resource: { cls: 'vector_layer', parent: { id: group }, display_name: 'Layer' },
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
    }
    const { id: layer } = await (await server.admin('POST', '/api/resource/', body)).json<{ id: number }>()
    await server.admin('PUT', `/api/resource/${layer}`, { resource: { description: 'changed' } })
    const restore = async (operations: readonly object[], ask: Ask = server.admin) =>
      (await (await ask('POST', '/api/component/landform/batch', { operations })).json()) as object
    const operations = [
      { op: 'create', id: group, name: 'group', body: groupBody('Journal restored') },
      { op: 'create', id: layer, body: { ...body, resource: { ...body.resource, parent: { id: 'group' } } } },
    ]
    // Ids of resources that exist, or never did, are not given away.
    expect(await restore(operations)).toMatchObject({
      code: 'request/invalid',
      data: { operation: 0, location: ['body', '/id'] },
    })
    const entry = await begin([
      {
        ...change('group', 'delete', group),
        before: [
          { resource: { id: group, cls: 'resource_group', display_name: 'Journal restored' } },
          { resource: { id: layer, cls: 'vector_layer', display_name: 'Layer', version: 2 } },
        ],
      },
    ])
    await sendBatch(entry, [{ op: 'delete', id: group }])
    expect(await restore(operations)).toMatchObject({
      results: [
        { id: group, version: 2 },
        { id: layer, version: 3 },
      ],
    })
    expect(await (await server.admin('GET', `/api/resource/${layer}`)).json()).toMatchObject({
      vector_layer: { data_version: 2 },
    })
    expect(await list(`resource=${layer}`)).toMatchObject([
      {
        id: entry,
        changes: [{ action: 'delete', version_before: 2, deleted_with: 'group', outcome: 'deleted' }],
      },
    ])
    await server.admin('DELETE', `/api/resource/${group}`)
    const refused = readOthers(server.database, 'bob', [group])
    expect([await refused, await readOthers(server.database, 'administrator', [group])]).toEqual([
      [],
      [group],
    ])
  })

  test('users see their own applies, administrators all, guests none', async () => {
    const id = await begin([change('hers')], ada)
    expect((await list('', ada)).map((entry) => entry.id)).toEqual(expect.arrayContaining([id]))
    expect((await list('')).map((entry) => entry.id)).toEqual(expect.arrayContaining([id]))
    expect((await list('', bob)).map((entry) => entry.id)).not.toContain(id)
    expect((await bob('GET', `${journal}${id}`)).status).toBe(404)
    expect((await finish(id, { result: 'applied', outcomes: [] }, bob)).status).toBe(404)
    expect((await server.guest('GET', journal)).status).toBe(403)
    expect((await server.guest('POST', journal, { manifest: 'city', changes: [] })).status).toBe(403)
  })

  test('a resource shows every apply that changed it to those who can read it', async () => {
    const group = await createGroup(server.admin, 0, { display_name: 'Journal shared' })
    const id = await begin([change('shared', 'update', group), change('secret', 'update', 99_998)])
    await finish(id, { result: 'applied', outcomes: [{ outcome: 'updated' }, { outcome: 'updated' }] })
    const [entry] = await list(`resource=${group}`)
    expect(entry).toMatchObject({ id, changes: [{ key: 'shared', outcome: 'updated' }] })
    expect((await bob('GET', `${journal}?resource=${group}`)).status).toBe(403)
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const allow = rule('allow resource.read', await principalId(server.database, 'bob'))
    const permissions = [...root.resource.permissions, allow]
    expect((await server.admin('PUT', '/api/resource/0', { resource: { permissions } })).status).toBe(200)
    expect(await list(`resource=${group}`, bob)).toHaveLength(1)
    expect(await list(`key=shared`, bob)).toEqual([])
    expect(await list(`key=shared`)).toMatchObject([{ id, changes: [{ key: 'shared' }] }])
  })

  test('nobody writes the history of a resource that they cannot read', async () => {
    const hidden = await createGroup(server.admin, 0, { display_name: 'Journal hidden' })
    const permissions = [rule('deny resource.read', await principalId(server.database, 'bob'))]
    const path = `/api/resource/${hidden}`
    expect((await server.admin('PUT', path, { resource: { permissions } })).status).toBe(200)
    const forged = { manifest: 'city', changes: [change('secret', 'update', hidden)] }
    expect((await bob('POST', journal, forged)).status).toBe(403)
    const id = await begin([change('secret')], bob)
    const outcomes = [{ outcome: 'created', id: hidden }]
    expect((await finish(id, { result: 'applied', outcomes }, bob)).status).toBe(403)
    expect(await list(`resource=${hidden}`)).toEqual([])
    const shown = { id: hidden, cls: 'resource_group', display_name: 'Forged' }
    const others = [
      { ...change('icon', 'update', hidden), cls: 'icon' },
      { ...change('other', 'delete'), before: [{ resource: shown }] },
      { ...change('other', 'delete'), before: [{ resource: { ...shown, id: `${hidden}` } }] },
    ]
    for (const one of others)
      expect((await bob('POST', journal, { manifest: 'city', changes: [one] })).status).toBe(403)
    expect(await list(`resource=${hidden}`)).toEqual([])
    // Resources may be gone, and an apply may end its own right to read.
    const opened = await createGroup(server.admin, 0, { display_name: 'Journal opened' })
    const own = await begin([change('gone', 'delete', 999_999), change('opened', 'update', opened)], bob)
    const closed = `/api/resource/${opened}`
    expect((await server.admin('PUT', closed, { resource: { permissions } })).status).toBe(200)
    const done = [{ outcome: 'deleted' }, { outcome: 'updated', id: opened }]
    expect((await finish(own, { result: 'applied', outcomes: done }, bob)).status).toBe(200)
  })

  test('lists are newest first, and have pages', async () => {
    const ids = [await begin([]), await begin([]), await begin([])]
    expect((await list('limit=2')).map(({ id }) => id)).toEqual([ids[2], ids[1]])
    expect((await list(`limit=1&before=${ids[1]}`)).map(({ id }) => id)).toEqual([ids[0]])
    expect((await server.admin('GET', `${journal}?limit=${maxJournalEntries + 1}`)).status).toBe(422)
  })

  test('the journal outlives resources and users, and forgets old entries', async () => {
    await createUser(server.database, 'gone')
    const gone = server.as('gone', userPassword)
    const [theirs, old] = [await begin([change('left')], gone), await begin([change('old one')])]
    await server.database.query(`delete from principal where keyname = 'gone'`)
    expect(await read(theirs)).toMatchObject({ user: 'gone', changes: [{ key: 'left' }] })
    await server.database.query(
      `update journal_entry set began_at = began_at - make_interval(days => $2) where id = $1`,
      [old, journalDays + 1],
    )
    await collectGarbage(server.running.context)
    expect((await server.admin('GET', `${journal}${old}`)).status).toBe(404)
    expect((await server.admin('GET', `${journal}${theirs}`)).status).toBe(200)
  })
})
