import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { maxKeynames } from '../../../src/contract/routes/resource.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

describeServers('search and tree', (start) => {
  /** Makes, once a server: Alps (keyname alps) with Peaks (100%) and Lakes, which holds Deep. */
  const plant = async () => {
    const server = await start()
    const find = await server.admin('GET', '/api/resource/search/?keyname=alps')
    const [standing] = await find.json<Representation[]>()
    const alps =
      standing?.resource.id ?? (await createGroup(server.admin, 0, { display_name: 'Alps', keyname: 'alps' }))
    if (standing === undefined) {
      await createGroup(server.admin, alps, { display_name: 'Peaks (100%)', description: 'high' })
      const lakes = await createGroup(server.admin, alps, { display_name: 'lakes' })
      await createGroup(server.admin, lakes, { display_name: 'Deep', keyname: 'deep' })
    }
    return { ...server, alps }
  }
  const names = async (ask: Ask, query: string) => {
    const response = await ask('GET', `/api/resource/search/?${query}`)
    expect(response.status, query).toBe(200)
    return (await response.json<Representation[]>()).map(({ resource }) => resource.display_name)
  }

  test('without conditions all readable resources are found, by name', async () => {
    const { admin, guest } = await plant()
    expect(await names(admin, '')).toEqual(['Alps', 'Deep', 'lakes', 'Main resource group', 'Peaks (100%)'])
    expect(await names(guest, '')).toEqual([])
  })

  test('a user is told which of the given keynames belong to unreadable resources, and no others', async () => {
    const server = await plant()
    const { admin, guest, database, alps } = server
    await createUser(database, 'hiker')
    const ask = server.as('hiker', userPassword)
    const path = '/api/component/landform/keynames'
    const unreadable = async (asked: Ask, keynames: readonly string[]) => {
      const answer = await asked('POST', path, { keynames })
      return (await answer.json<{ unreadable: string[] }>()).unreadable
    }
    expect(await unreadable(ask, ['deep', 'nowhere', 'alps'])).toEqual(['alps', 'deep'])
    expect(await unreadable(admin, ['deep', 'nowhere', 'alps'])).toEqual([])
    const hiker = await principalId(database, 'hiker')
    const only = { propagate: false }
    for (const id of [0, alps]) {
      const own = id === 0 ? [rule('allow', await principalId(database, 'administrators'))] : []
      const permissions = [...own, rule('allow resource.read', hiker, only)]
      await admin('PUT', `/api/resource/${id}`, { resource: { permissions } })
    }
    expect(await unreadable(ask, ['deep', 'nowhere', 'alps'])).toEqual(['deep'])
    expect((await guest('POST', path, { keynames: ['deep'] })).status).toBe(403)
    expect((await ask('POST', path, { keynames: ['a\0'] })).status).toBe(422)
    const many = Array.from({ length: maxKeynames + 1 }, (_, at) => `k${at}`)
    expect((await ask('POST', path, { keynames: many })).status).toBe(422)
    expect(await unreadable(ask, many.slice(1))).toEqual([])
  })

  test('a pattern that ends with an incomplete escape, or has too many wildcards, is refused', async () => {
    const { admin } = await plant()
    for (const name of ['display_name__like', 'description__ilike', 'resmeta__like[a]']) {
      const refused = await admin('GET', `/api/resource/search/?${name}=${encodeURIComponent('%\\')}`)
      expect([refused.status, (await refused.json<ErrorBody>()).data]).toEqual([
        422,
        { location: ['query', name] },
      ])
      const wild = await admin('GET', `/api/resource/search/?${name}=${'%25a'.repeat(51)}`)
      expect((await wild.json<ErrorBody>()).message).toContain('51 wildcards')
      const whole = await admin('GET', `/api/resource/search/?${name}=${encodeURIComponent('%\\\\')}`)
      expect(whole.status).toBe(200)
    }
  })

  test('all conditions must match, and unknown ones are ignored', async () => {
    const { admin, alps } = await plant()
    expect(await names(admin, 'keyname=deep&cls=resource_group&nonsense=1')).toEqual(['Deep'])
    expect(await names(admin, 'keyname=deep&display_name=lakes')).toEqual([])
    expect(await names(admin, `parent_id=${alps}`)).toEqual(['lakes', 'Peaks (100%)'])
    expect(await names(admin, `root=${alps}&display_name__ilike=%25A%25`)).toEqual([
      'Alps',
      'lakes',
      'Peaks (100%)',
    ])
    expect(await names(admin, 'display_name__like=L%25')).toEqual([])
    expect(await names(admin, 'display_name__in=Deep,lakes,x')).toEqual(['Deep', 'lakes'])
    expect(await names(admin, 'display_name__in=')).toEqual([])
    expect(await names(admin, 'description=high')).toEqual(['Peaks (100%)'])
    expect(await names(admin, 'id__in=0')).toEqual(['Main resource group'])
  })

  test('metadata can be searched with permission to read it', async () => {
    const { admin, guest, alps, database } = await plant()
    const items = { region: 'Alpine', height: 4808, open: true }
    await admin('PUT', `/api/resource/${alps}`, { resmeta: { items } })
    for (const query of [
      'resmeta__region=Alpine',
      'resmeta[region]=Alpine',
      'resmeta__ilike[region]=alp%25',
      'resmeta__like[region]=Alp%25',
      'resmeta__height=4808',
      'resmeta__open=true',
      'resmeta__json[height]=4808.0',
      'resmeta__has[open]=yes',
    ])
      expect(await names(admin, query), query).toEqual(['Alps'])
    for (const query of ['resmeta__like[region]=alp%25', 'resmeta__json[height]="4808"', 'resmeta__sea=1'])
      expect(await names(admin, query), query).toEqual([])
    expect(await names(admin, 'resmeta__has[open]=false&keyname__in=alps,deep')).toEqual(['Deep'])
    for (const query of ['resmeta__json[height]={', 'resmeta__has[open]=maybe', 'resmeta__json[a]="\\u0000"'])
      expect((await admin('GET', `/api/resource/search/?${query}`)).status, query).toBe(422)
    const root = await (await admin('GET', '/api/resource/0')).json<Representation>()
    const permissions = root.resource.permissions ?? []
    const everyone = rule('allow resource.read', await principalId(database, 'everyone'))
    await admin('PUT', '/api/resource/0', { resource: { permissions: [...permissions, everyone] } })
    expect(await names(guest, 'keyname=alps')).toEqual(['Alps'])
    expect(await names(guest, 'keyname=alps&resmeta__region=Alpine')).toEqual([])
    await admin('PUT', '/api/resource/0', { resource: { permissions } })
  })

  test('a response has the total number, and for administrators whether it is complete', async () => {
    const { admin, guest } = await plant()
    const answer = await admin('GET', '/api/resource/search/?limit=2')
    expect([answer.headers.get('x-total-count'), answer.headers.get('x-complete')]).toEqual(['5', 'true'])
    const hidden = await guest('GET', '/api/resource/search/?keyname=deep')
    expect([hidden.headers.get('x-total-count'), hidden.headers.get('x-complete')]).toEqual(['0', null])
  })

  test('owner, parent and creation date can be searched for', async () => {
    const { admin, alps } = await plant()
    const read = await (await admin('GET', `/api/resource/${alps}`)).json<Representation>()
    const { owner_user, creation_date } = read.resource
    expect(await names(admin, `owner_user__id=${owner_user?.id}&id=${alps}`)).toEqual(['Alps'])
    expect(await names(admin, `creation_date=${creation_date}&id=${alps}`)).toEqual(['Alps'])
    expect(await names(admin, `owner_user__id=1`)).toEqual([])
  })

  test('invalid values are refused by name, and numbers out of range find nothing', async () => {
    const { admin } = await plant()
    for (const query of ['id=x', 'creation_date=2020-02-31', 'parent_id=1.5', 'id__in=1,,2']) {
      const failure = await (await admin('GET', `/api/resource/search/?${query}`)).json<ErrorBody>()
      expect([failure.status_code, failure.code], query).toEqual([422, 'request/invalid'])
    }
    expect(await names(admin, 'id=99999999999')).toEqual([])
    expect(await names(admin, 'root=99999999999')).toEqual([])
  })

  test('a list of any length is complete and in order', async () => {
    const { admin } = await start()
    const top = await createGroup(admin, 0, { display_name: 'Long list' })
    const wanted = Array.from({ length: 5200 }, (_, at) => `n${String(at).padStart(4, '0')}`)
    const operations = wanted.map((display_name) => ({
      op: 'create',
      body: { resource: { cls: 'resource_group', display_name, parent: { id: top } } },
    }))
    expect((await admin('POST', '/api/component/landform/batch', { operations })).status).toBe(200)
    const listed = await (await admin('GET', `/api/resource/?parent=${top}`)).json<Representation[]>()
    expect(listed.map(({ resource }) => resource.display_name)).toEqual(wanted)
    expect((await admin('DELETE', `/api/resource/${top}`)).status).toBe(200)
  })

  test('a response is paged on request', async () => {
    const { admin } = await plant()
    expect(await names(admin, 'limit=2')).toEqual(['Alps', 'Deep'])
    expect(await names(admin, 'limit=2&offset=4')).toEqual(['Peaks (100%)'])
  })

  test('representations are complete on request, otherwise only the member resource', async () => {
    const { admin } = await plant()
    const whole = await (await admin('GET', '/api/resource/search/?keyname=deep&serialization=full')).json()
    expect(whole).toEqual([{ resource: expect.any(Object), resmeta: { items: {} } }])
    const short = await (await admin('GET', '/api/resource/search/?keyname=deep')).json<object[]>()
    expect(Object.keys(short[0] ?? {})).toEqual(['resource'])
  })

  test('a list has groups before maps, sorted by name', async () => {
    const { admin } = await plant()
    const top = await createGroup(admin, 0, { display_name: 'Listed' })
    const make = (cls: string, display_name: string) =>
      admin('POST', '/api/resource/', { resource: { cls, display_name, parent: { id: top } } })
    await make('webmap', 'A map')
    await make('resource_group', 'b')
    await make('resource_group', 'A')
    const list = await (await admin('GET', `/api/resource/?parent=${top}`)).json<Representation[]>()
    expect(list.map(({ resource }) => resource.display_name)).toEqual(['A', 'b', 'A map'])
    expect(list[2]).toHaveProperty('webmap.root_item')
    await admin('DELETE', `/api/resource/${top}`)
  })

  const readTree = async (ask: Ask, query: string) => {
    const response = await ask('GET', `/api/component/landform/tree?${query}`)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const [head, ...rest] = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { head, resources: rest as Representation[] }
  }

  test('a tree is one response: header, ancestors, then parents before children', async () => {
    const { admin, alps } = await plant()
    const { head, resources } = await readTree(admin, `root=${alps}`)
    expect(head).toMatchObject({
      server: { landform: '0.0.0' },
      caller: { keyname: 'administrator', administrator: true },
      complete: true,
      count: 5,
    })
    expect(head.principals).toContainEqual({
      id: expect.any(Number),
      kind: 'group',
      keyname: 'administrators',
    })
    const order = resources.map(({ resource }) => resource.display_name)
    expect(order).toEqual(['Main resource group', 'Alps', 'Peaks (100%)', 'lakes', 'Deep'])
    const { resource, ...members } = await (
      await admin('GET', `/api/resource/${alps}`)
    ).json<Representation>()
    const { interfaces: _, scopes: __, ...own } = resource
    expect(resources[1]).toEqual({ resource: own, ...members })
  })

  test('a tree includes resources with the requested keynames outside the subtree', async () => {
    const { admin, alps } = await plant()
    const other = await createGroup(admin, 0, { display_name: 'Elsewhere' })
    const { resources } = await readTree(admin, `root=${other}&keyname=deep,nothing`)
    const ids = resources.map(({ resource }) => resource.id)
    expect(ids.slice(0, 2)).toEqual([0, alps])
    expect(ids).toContain(other)
    expect(resources.map(({ resource }) => resource.keyname)).toContain('deep')
    await admin('DELETE', `/api/resource/${other}`)
  })

  test('a tree with hidden resources is reported as incomplete', async () => {
    const { admin, alps, database, as } = await plant()
    const id = await createUser(database, 'reader')
    const { resource: root } = await (await admin('GET', '/api/resource/0')).json<Representation>()
    const read = rule('allow resource.read', id, { propagate: false })
    await admin('PUT', '/api/resource/0', { resource: { permissions: [...(root.permissions ?? []), read] } })
    const allow = (...words: string[]) =>
      admin('PUT', `/api/resource/${alps}`, {
        resource: { permissions: words.map((text) => rule(text, id)) },
      })
    const look = async () => (await readTree(as('reader', userPassword), `root=${alps}`)).head
    await allow('allow resource.read', 'allow metadata.read')
    // The root's metadata stay hidden.
    expect(await look()).toMatchObject({ complete: false, count: 5 })
    const meta = rule('allow metadata.read', id, { propagate: false })
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...(root.permissions ?? []), read, meta] },
    })
    expect(await look()).toMatchObject({ complete: true, caller: { administrator: false } })
    const deep = await (await admin('GET', '/api/resource/search/?keyname=deep')).json<Representation[]>()
    const deny = { resource: { permissions: [rule('deny resource.read', id)] } }
    await admin('PUT', `/api/resource/${deep[0]?.resource.id}`, deny)
    expect(await look()).toMatchObject({ complete: false, count: 4 })
    expect((await as('reader', userPassword)('GET', '/api/component/landform/tree?root=99999')).status).toBe(
      404,
    )
  })
})
