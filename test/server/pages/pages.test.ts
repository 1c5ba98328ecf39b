import { beforeAll, expect, test } from 'vitest'
import { groupBody, openBatchClient } from '../../support/batch.ts'
import { makeRaster } from '../../support/raster.ts'
import { rule } from '../../support/resources.ts'
import { createStyledLayer, uploadContent } from '../../support/samples.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { createResource, styleXml } from '../../support/tree.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

const html = { accept: 'text/html' }

describeServer('pages of resources', (start) => {
  let server: TestServer
  let group: number
  let hidden: number
  beforeAll(async () => {
    server = await start()
    const everyone = await principalId(server.database, 'everyone')
    const guest = await principalId(server.database, 'guest')
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const seen = rule('allow resource.read', everyone, { propagate: false })
    const body = groupBody('Seas & <b>lakes</b>', 0, {
      keyname: 'seas',
      description: '<p>Deep</p><script>alert(1)</script>',
      permissions: [rule('allow resource.read', everyone), rule('allow metadata.read', everyone)],
    })
    const results = await openBatchClient(server).run([
      { op: 'update', id: 0, body: { resource: { permissions: [...root.resource.permissions, seen] } } },
      { op: 'create', name: 'g', body: { ...body, resmeta: { items: { depth: 10994 } } } },
      { op: 'create', body: groupBody('Open', 'g') },
      {
        op: 'create',
        body: groupBody('Hidden', 'g', { permissions: [rule('deny resource.read', guest)] }),
      },
    ])
    group = results[1]?.id ?? 0
    hidden = results[3]?.id ?? 0
  })

  const show = async (path: string, ask = server.guest) => {
    const answer = await ask('GET', path, undefined, html)
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }

  test('show what the caller can read: path, children, metadata, permissions', async () => {
    const { status, text, headers } = await show(`/resource/${group}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1>Seas &amp; &lt;b&gt;lakes&lt;/b&gt;</h1>')
    expect(text).toContain('<a href="/resource/0">Main resource group</a>')
    expect(text).toContain('>Open</a>')
    expect(text).not.toContain('Hidden')
    expect(text).toContain('10994')
    expect(text).toContain('<del class="quiet">update</del>')
    expect((await show(`/resource/${group}`, server.admin)).text).toContain('>Hidden</a>')
  })

  test('link to the files of a raster for callers who can read them', async () => {
    const source = await uploadContent(server.admin, makeRaster())
    const layer = { cls: 'raster_layer', parent: group, name: 'Photo', members: { raster_layer: { source } } }
    const id = await createResource(server.admin, layer)
    const links = [`href="/api/resource/${id}/cog"`, `href="/api/resource/${id}/download"`]
    const texts = [(await show(`/resource/${id}`, server.admin)).text, (await show(`/resource/${id}`)).text]
    for (const link of links) expect(texts.map((text) => text.includes(link))).toEqual([true, false])
  })

  test('show the addresses of services to callers who can connect, behind a proxy too', async () => {
    const layers = { layers: [] }
    const service = { cls: 'wfsserver_service', parent: group, members: { wfsserver_service: layers } }
    const id = await createResource(server.admin, { ...service, name: 'Shores' })
    const address = `value="${server.url}/api/resource/${id}/wfs"`
    const [seen, hidden] = [await show(`/resource/${id}`, server.admin), await show(`/resource/${id}`)]
    expect([seen, hidden].map(({ text }) => text.includes(address))).toEqual([true, false])
    expect([seen, hidden].map(({ text }) => text.includes(`/resource/${id}/ogcapi"`))).toEqual([true, false])
    expect(hidden.text).not.toMatch(/<script|Addresses/)
    expect(seen.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/)
  })

  test('show multi-line strings as written, and link to files by their paths', async () => {
    const { admin } = server
    const file_bucket = { files: [{ ...(await uploadContent(admin, 'x')), name: 'a b/ü.txt' }] }
    const bucket = { cls: 'file_bucket', parent: group, name: 'Files', members: { file_bucket } }
    const id = await createResource(admin, bucket)
    const [, href = ''] =
      /href="([^"]+)">Download a b\/ü\.txt</.exec((await show(`/resource/${id}`, admin)).text) ?? []
    expect(await (await admin('GET', href)).text()).toBe('x')
    const { layer } = await createStyledLayer(admin)
    const mapsrv_style = { xml: styleXml('').replaceAll('><', '>\n<') }
    const style = { cls: 'mapsrv_style', parent: layer, name: 'Lines', members: { mapsrv_style } }
    const { text } = await show(`/resource/${await createResource(admin, style)}`, admin)
    expect(text).toContain('<pre>&lt;map&gt;\n&lt;layer&gt;\n')
  })

  test('run no scripts, whatever a description contains', async () => {
    const { text, headers } = await show(`/resource/${group}`)
    expect(text).toContain('<p>Deep</p>')
    expect(text).not.toMatch(/<script|alert/)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/)
  })

  test('show guests who cannot read the root the login form at /, with the reason', async () => {
    const { permissions } = (
      await (
        await server.admin('GET', '/api/resource/0')
      ).json<{
        resource: { permissions: { principal: { id: number } }[] }
      }>()
    ).resource
    const everyone = await principalId(server.database, 'everyone')
    const setRules = (rules: object[]) =>
      server.admin('PUT', '/api/resource/0', { resource: { permissions: rules } })
    await setRules(permissions.filter(({ principal }) => principal.id !== everyone))
    const { status, text } = await show('/')
    await setRules(permissions)
    expect(status).toBe(200)
    expect(text).toContain('<p>The resources of this server are for signed-in users.</p>')
    expect(text).toContain('<form method="post" action="/login">')
  })

  test('redirect from / to the root, and callers without permission to the login form', async () => {
    const home = await fetch(`${server.url}/`, { redirect: 'manual' })
    expect([home.status, home.headers.get('location')]).toEqual([303, '/resource/0'])
    const root = await fetch(`${server.url}/`, { headers: html })
    expect(await root.text()).toContain('href="/login?next=%2Fresource%2F0">Log in</a>')
    const denied = await show(`/resource/${hidden}`)
    expect(denied.status).toBe(403)
    expect(denied.text).toContain(`<a href="/login?next=%2Fresource%2F${hidden}">Log in</a>`)
    expect((await show('/resource/99999')).status).toBe(404)
  })

  test('an error page has the header of the other pages', async () => {
    const { text } = await show('/resource/99999')
    const [header] = /<header.*<\/header>/.exec(text) ?? []
    expect(header).toContain(
      '<a href="/">landform</a> <a href="/catalog/">Catalog</a> <a href="/docs">API</a>',
    )
  })

  test.each([
    ['/resource/%d/display?lon=1&lat=2', '/login?next=%2Fresource%2F%d%2Fdisplay%3Flon%3D1%26lat%3D2'],
    ['//example.org/../resource/%d', '/login?next=%2F'],
  ])('%s is refused with a link to the login at %s', async (path, login) => {
    const { text } = await show(path.replace('%d', String(hidden)))
    expect(text).toContain(`href="${login.replace('%d', String(hidden))}"`)
  })

  test('an ended session offers a new login, or to continue as a guest', async () => {
    const login = await submit({ login: 'administrator', password: adminPassword })
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    await fetch(`${server.url}/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' })
    const answer = await fetch(`${server.url}/resource/${group}?offset=0`, { headers: { ...html, cookie } })
    const text = await answer.text()
    expect(answer.status).toBe(401)
    expect(text).toContain(`<a href="/resource/${group}?offset=0">Continue as a guest</a>`)
    expect(text).toContain(`<a href="/login?next=%2Fresource%2F${group}%3Foffset%3D0">Log in</a>`)
  })

  test('a user who may not see a page can sign out on it', async () => {
    await createUser(server.database, 'carl', 'Carl')
    const signIn = await submit({ login: 'carl', password: userPassword })
    const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { admin } = server
    const closed = await createResource(admin, { cls: 'resource_group', parent: 0, name: 'Closed' })
    const answer = await fetch(`${server.url}/resource/${closed}`, { headers: { ...html, cookie } })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain(
      '<form method="post" action="/logout">Carl <button>Log out</button>',
    )
    expect((await show(`/resource/${closed}`)).text).not.toContain('Log out')
  })

  test('long lists of children are paged', async () => {
    const { run } = openBatchClient(server)
    const [made] = await run([
      { op: 'create', name: 'long', body: groupBody('Long') },
      ...Array.from({ length: 501 }, (_, at) => ({ op: 'create', body: groupBody(`n${at + 1000}`, 'long') })),
    ])
    const first = await show(`/resource/${made?.id}`, server.admin)
    expect(first.text).toContain(`/resource/${made?.id}?offset=500`)
    expect(first.text).not.toContain('>n1500</a>')
    const second = await show(`/resource/${made?.id}?offset=500`, server.admin)
    expect(second.text).toContain('>n1500</a>')
    expect(second.text).not.toContain('>n1499</a>')
    const found = await show(`/resource/${made?.id}?search=${encodeURIComponent(' 150 Ñ"')}`, server.admin)
    expect(found.text).toContain('value=" 150 Ñ&quot;"')
    expect(found.text).toContain(`0 of 501. <a href="/resource/${made?.id}">Show all</a>`)
    const some = await show(`/resource/${made?.id}?search=50+Ñ1`, server.admin)
    expect(some.text.match(/>n1\d*</g)).toEqual(
      ['n1050', 'n1150', 'n1250', 'n1350', 'n1450', 'n1500'].map((n) => `>${n}<`),
    )
    expect((await show(`/resource/${group}`)).text).not.toContain('type="search"')
  })

  const submit = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/login`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...html, ...headers },
      redirect: 'manual',
    })

  test('a form logs in and redirects, and another logs out', async () => {
    await createUser(server.database, 'pia', 'Pia')
    const next = `/resource/${group}`
    const answer = await submit({ login: 'pia', password: userPassword, next })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, next])
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const page = await (await fetch(`${server.url}/resource/0`, { headers: { ...html, cookie } })).text()
    expect(page).toContain('Permissions of Pia')
    const out = await fetch(`${server.url}/logout`, {
      method: 'POST',
      headers: { cookie },
      redirect: 'manual',
    })
    expect(out.status).toBe(303)
    const after = await (await fetch(`${server.url}/login`, { headers: { ...html, cookie } })).text()
    expect(after).not.toContain('Log out')
  })

  test('a wrong password is reported on the form, which keeps only the login', async () => {
    const answer = await submit({ login: '"><i>', password: 'a wrong password', next: '/resource/0' })
    const text = await answer.text()
    expect(answer.status).toBe(401)
    expect(text).toContain('role="alert"')
    expect(text).toContain('value="&quot;&gt;&lt;i&gt;"')
    expect(text).not.toContain('a wrong password')
  })

  test.for(['https://example.org/', '//example.org', '/\\example.org', 'javascript:alert(1)', '/a\nb'])(
    'a login never redirects to %s',
    async (next) => {
      const answer = await submit({ login: 'administrator', password: adminPassword, next })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    },
  )

  test('another site cannot log users out', async () => {
    const answer = await submit({ login: 'administrator', password: adminPassword })
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const headers = { cookie, origin: 'https://example.org', 'sec-fetch-site': 'cross-site' }
    const out = await fetch(`${server.url}/logout`, { method: 'POST', headers, redirect: 'manual' })
    expect(out.status).toBe(403)
  })
})
