import { beforeAll, expect, test } from 'vitest'
import type { GeoserviceDetail } from '../../../src/contract/catalog/catalog.ts'
import { formatBox } from '../../../src/geo/boundary.ts'
import { addStatuses } from '../../../src/store/catalog/geoservice_status.ts'
import { changeCatalog, createSample, newGeoservice, type SampleIds } from '../../support/catalog.ts'
import { type Ask, describeServer, startTestServer, type TestServer } from '../../support/server.ts'
import { createUser, userPassword } from '../../support/users.ts'

const show = async (ask: Ask, path: string) => {
  const answer = await ask('GET', path, undefined, { accept: 'text/html' })
  const policy = answer.headers.get('content-security-policy') ?? ''
  return { status: answer.status, text: await answer.text(), policy }
}

const namesIn = (text: string) =>
  [...text.matchAll(/<a href="\/catalog\/\d+\/">([^<]+)</g)].map(([, name]) => name)
const directive = (policy: string, name: string) =>
  policy.split('; ').find((part) => part.startsWith(`${name} `))

describeServer('the page of the catalog', (start) => {
  let server: TestServer
  let ids: SampleIds
  beforeAll(async () => {
    server = await start()
    ids = await createSample(server)
  })

  test('lists all geoservices with icon, type, reference system, status and description', async () => {
    const { status, text, policy } = await show(server.guest, '/catalog/')
    expect(status).toBe(200)
    expect(namesIn(text)).toEqual(['Parks', 'Relief of Norway', 'Roads', 'Trees'])
    expect(text).toContain(`<img src="/catalog/icons/${ids.icon}?width=64&amp;height=64" alt=""`)
    expect(text).toContain('<span class="tag">WMS</span> <span class="tag">EPSG:4326</span>')
    expect(text).toContain('<span class="tag works">works</span></p><p class="quiet">Streets and paths</p>')
    expect(text).toContain('not checked yet')
    expect(text).toContain('role="status">4 geoservices<')
    expect(directive(policy, 'img-src')).toBe("img-src 'self' data: blob:")
  })

  test.each([
    ['search=norway', ['Relief of Norway']],
    ['search=paths%2C+STREETS', ['Roads']],
    ['type=tms', ['Roads']],
    ['epsg=3857', ['Parks', 'Roads']],
    ['cumulative_status=failed', ['Parks']],
    ['cumulative_status=unchecked', ['Relief of Norway', 'Trees']],
    ['cumulative_status=unchecked&type=geojson', ['Trees']],
    ['search=&type=&epsg=&cumulative_status=', ['Parks', 'Relief of Norway', 'Roads', 'Trees']],
    ['epsg=3857&type=wfs', ['Parks']],
  ])('?%s shows %j, and the form has these conditions', async (query, names) => {
    const { text } = await show(server.guest, `/catalog/?${query}`)
    expect(namesIn(text)).toEqual(names)
    const { search, type, epsg } = Object.fromEntries(new URLSearchParams(query))
    if (search) expect(text).toContain(`name="search" value="${search}"`)
    if (type) expect(text).toContain(`<option value="${type}" selected>`)
    if (epsg) expect(text).toContain(`name="epsg" value="${epsg}"`)
  })

  test('says when no geoservice matches, and offers all', async () => {
    const { text } = await show(server.guest, '/catalog/?search=volcanoes')
    expect(text).toContain('No geoservices match the search. <a href="/catalog/">')
    expect(text).toContain('>0 geoservices<')
  })

  test('says what is wrong with a condition, and keeps the form', async () => {
    const { status, text } = await show(server.guest, '/catalog/?epsg=%22%3E%3Cb%3E')
    expect(status).toBe(422)
    expect(text).toContain('class="fault">The EPSG code is not a number.<')
    expect(text).toContain('name="epsg" value="&quot;&gt;&lt;b&gt;"')
    const type = await show(server.guest, '/catalog/?type=%22%3E%3Cb%3E')
    expect(type.status).toBe(422)
    expect(type.text).toContain('class="fault">The type &quot;\\&quot;&gt;&lt;b&gt;&quot; is unknown.<')
    expect(type.text).toContain('<option value="&quot;&gt;&lt;b&gt;" selected>')
    const checked = await show(server.guest, '/catalog/?cumulative_status=good')
    expect([checked.status, checked.text.includes('The status &quot;good&quot; is unknown.')]).toEqual([
      422,
      true,
    ])
    const long = await show(server.guest, `/catalog/?search=${'a+'.repeat(30)}${'b'.repeat(1000)}`)
    expect([long.status, long.text.includes('A search has at most 1000 characters.')]).toEqual([422, true])
  })

  test('the link to it is on the other pages', async () => {
    expect((await show(server.guest, '/login')).text).toContain('<a href="/catalog/">Catalog</a>')
  })

  test('the page of a geoservice shows its members, links and checks', async () => {
    const { status, text, policy } = await show(server.guest, `/catalog/${ids.roads}/`)
    expect(status).toBe(200)
    expect(text).toContain('value="https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png"')
    expect(text).toContain('<code>https://b.tile.example.org/{z}/{x}/{y}.png</code>')
    expect(text).toContain(
      '<a href="https://creativecommons.org/licenses/by/4.0/" rel="noopener noreferrer">CC BY 4.0</a>',
    )
    expect(text).toContain('<th scope="row">Zoom levels</th><td>0 to 18</td>')
    expect(text).toContain('longitude 10° to 11°, latitude 50° to 51°')
    expect(text).toContain('<td>7,890 km²</td>')
    // Newest first.
    expect(text).toMatch(/1970-01-01 00:00:02 UTC.*works.*1970-01-01 00:00:01 UTC.*problematic/s)
    expect(text).toContain('No checks in the last 30 days.')
    const hosts = ['a', 'b', 'c'].map((host) => `https://${host}.tile.example.org`)
    expect(directive(policy, 'img-src')).toBe(`img-src 'self' data: blob: ${hosts.join(' ')}`)
    expect(directive(policy, 'connect-src')).toBe("connect-src 'self'")
  })

  test('the policy allows the data of a service of features, but not its images', async () => {
    const { policy, text } = await show(server.guest, `/catalog/${ids.trees}/`)
    expect(directive(policy, 'connect-src')).toBe("connect-src 'self' https://maps.example.org")
    expect(directive(policy, 'img-src')).toBe("img-src 'self' data: blob:")
    expect(text).toContain('This service has not been checked yet.')
  })

  test('uptime counts the checks of 30 days, in a chart with a text alternative', async () => {
    const [id = 0] = await changeCatalog(server, [newGeoservice('Checked')])
    const check = {
      check_duration: null,
      http_code: 0,
      http_response: null,
      error_type: null,
      error_text: null,
    }
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000
    const results = [
      ['works', 0],
      ['works', 0],
      ['failed', 0],
      ['problematic', 0],
      ['works', 2],
      ['works', 4],
      ['failed', 6],
      ['works', 40],
    ] as const
    await addStatuses(
      server.database,
      results.map(([cumulative_status, daysAgo]) => ({
        ...check,
        geoservice: id,
        cumulative_status,
        checkedAt: new Date(today - daysAgo * 86_400_000),
      })),
    )
    const { text } = await show(server.guest, `/catalog/${id}/`)
    expect(text).toContain('<strong>57.1 %</strong> of 7 checks in the last 30 days worked.')
    const [, label] = /aria-label="(Checks by day[^"]+)"/.exec(text) ?? []
    expect(label).toBe(
      'Checks by day: all checks worked on 2 days, some checks worked on 1 day, no check worked on 1 day, no checks on 26 days.',
    )
    expect(text).toContain(': 50 % worked (2 works, 1 problematic, 1 failed)</title>')
    const bars = text.matchAll(
      /<rect class="(works|problematic|failed)" x="[\d.]+" y="\S+" width="8" height="([\d.]+)"/g,
    )
    expect([...bars].map(([, name, height]) => `${name} ${height}`)).toEqual([
      'failed 3',
      'works 40',
      'works 40',
      'problematic 20',
    ])
    await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id }])
  })

  test('the extent across the antimeridian goes from west to east', async () => {
    const boundary = formatBox([170, -10, -170, 10])
    const [id = 0] = await changeCatalog(server, [newGeoservice('Pacific', { boundary })])
    const { text } = await show(server.guest, `/catalog/${id}/`)
    expect(text).toContain('longitude 170° to -170°, latitude -10° to 10°')
    await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id }])
  })

  test('key and manifest are shown to editors of the catalog only', async () => {
    await createUser(server.database, 'page_reader')
    const members = { keyname: 'town_plan', manifest: 'town' }
    const [id = 0] = await changeCatalog(server, [newGeoservice('Town plan', members)])
    const { text } = await show(server.admin, `/catalog/${id}/`)
    expect(text).toContain('<th scope="row">Key</th><td><code>town_plan</code></td>')
    expect(text).toContain('<th scope="row">Manifest</th><td><code>town</code></td>')
    for (const ask of [server.guest, server.as('page_reader', userPassword)])
      expect((await show(ask, `/catalog/${id}/`)).text).not.toContain('town_plan')
    await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id }])
  })

  test('users read which services can be base maps', async () => {
    const [vector = 0] = await changeCatalog(server, [
      newGeoservice('Vector', { url: 'https://tile.example.org/{z}/{x}/{y}.pbf' }),
    ])
    for (const id of [ids.relief, ids.parks, ids.trees, vector]) {
      const { text } = await show(server.admin, `/catalog/${id}/`)
      expect([text.includes('This service cannot be one.'), text.includes('id="add"')]).toEqual([true, false])
    }
    const { text } = await show(server.admin, `/catalog/${ids.roads}/`)
    expect([text.includes('This service cannot be one.'), text.includes('id="add"')]).toEqual([false, true])
    await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id: vector }])
  })

  test('the page of an unknown geoservice links to the catalog', async () => {
    const { status, text } = await show(server.guest, '/catalog/999999/')
    expect(status).toBe(404)
    expect(text).toContain('The catalog has no geoservice 999999.')
    expect(text.match(/<a href="\/catalog\/">Catalog<\/a>/g)).toHaveLength(2)
    expect(text).toContain('<header class="top">')
    const program = await server.guest('GET', '/catalog/999999/', undefined, { accept: 'application/json' })
    expect([program.status, (await program.json<{ code: string }>()).code]).toEqual([
      404,
      'request/not-found',
    ])
  })

  test('the record and the icons are at the address of the pages', async () => {
    const record = await server.guest('GET', `/catalog/${ids.trees}/service.json`)
    const detail = await server.guest('GET', `/api/v1/geoservices/${ids.trees}/`)
    expect(await record.json<GeoserviceDetail>()).toEqual(await detail.json())
    for (const icon of [ids.icon, 'default']) {
      const image = await server.guest('GET', `/catalog/icons/${icon}?width=16&height=16`)
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    }
    for (const path of ['icons/999999', 'icons/x', '999999/', '999999/service.json', 'x/'])
      expect((await show(server.guest, `/catalog/${path}`)).status).toBe(404)
  })
})

const hostile = [
  ['<script>alert(1)</script>', 'https://a;script-src/{z}/{x}/{y}.png'],
  ['"><img src=x onerror=alert(1)>', 'http://x"onerror=alert(1)/{z}/{x}/{y}'],
  ["' autofocus onfocus='alert(1)", 'https://*/{z}/{x}/{y}'],
] as const

describeServer('hostile records of the catalog', (start) => {
  test.each(hostile)('%s at %s is text, and adds nothing to the policy', async (name, url) => {
    const server = await start()
    const members = {
      url,
      desc: name,
      copyright_text: name,
      copyright_url: 'https://x"onmouseover=alert(1)',
      license_url: "https://';alert(1)//<b>",
    }
    const [id = 0] = await changeCatalog(server, [newGeoservice(name, members)])
    for (const path of ['/catalog/', `/catalog/${id}/`]) {
      const { status, text, policy } = await show(server.guest, path)
      expect(status).toBe(200)
      expect(text).not.toContain(name)
      expect(text).not.toMatch(/<[^>]* (onerror|onfocus|onmouseover)=/)
      expect(text.match(/<script(?! type="module" src="\/static\/web\/)/g)).toBeNull()
      expect(directive(policy, 'img-src')).toBe("img-src 'self' data: blob:")
      expect(policy.match(/script-src/g)).toHaveLength(1)
    }
  })
})

describeServer('a large catalog', (start) => {
  test('has pages of 50 with links that keep the conditions', async () => {
    const server = await start()
    expect((await show(server.guest, '/catalog/')).text).toContain('The catalog has no geoservices yet.')
    const long = `${'word '.repeat(60)}end`
    await changeCatalog(
      server,
      Array.from({ length: 101 }, (_, at) => newGeoservice(`Sheet ${1000 + at}`, { desc: long })),
    )
    const first = await show(server.guest, '/catalog/?search=sheet&type=tms')
    expect(namesIn(first.text)).toHaveLength(50)
    expect(first.text).toContain('101 geoservices, showing 1 to 50')
    expect(first.text).not.toContain('rel="prev"')
    expect(first.text).toMatch(/(word ){31}word…/)
    expect(first.text).not.toContain('end…')
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
    expect(next.replaceAll('&amp;', '&')).toBe('/catalog/?search=sheet&type=tms&offset=50')
    expect(first.text.match(/rel="next"/g)).toHaveLength(2)
    const pages = first.text.matchAll(/<a( aria-current="page")? href="[^"]+">(\d+)<\/a>/g)
    expect([...pages].map(([, current, number]) => (current ? `[${number}]` : number))).toEqual([
      ...['[1]', '2', '3'],
      ...['[1]', '2', '3'],
    ])
    const last = await show(server.guest, '/catalog/?offset=100')
    expect(namesIn(last.text)).toEqual(['Sheet 1100'])
    expect([last.text.includes('rel="next"'), last.text.includes('rel="prev"')]).toEqual([false, true])
    expect((await show(server.guest, '/catalog/?offset=500')).text).toContain('beyond the end of the list')
  })
})

test.each(['off', { listen: { host: '127.0.0.1', port: 0 } }, { path: '/catalog' }] as const)(
  'with the catalog at %j the pages are there unless it is off',
  async (catalog) => {
    const server = await startTestServer('pglite', { catalog })
    try {
      const [id = 1] = catalog === 'off' ? [] : await changeCatalog(server, [newGeoservice('Plan')])
      const paths = ['/catalog/', `/catalog/${id}/`, `/catalog/${id}/service.json`, '/catalog/icons/default']
      const pages = await Promise.all(paths.map((path) => show(server.guest, path)))
      const status = catalog === 'off' ? 404 : 200
      expect(pages.map((page) => page.status)).toEqual([status, status, status, status])
      expect(pages[0]?.text).toMatch(/^<!doctype html>/)
      const login = await show(server.guest, '/login')
      expect(login.text.includes('href="/catalog/"')).toBe(catalog !== 'off')
      const api = await server.guest('GET', '/catalog/api/v1/geoservices/')
      expect(api.status).toBe(typeof catalog === 'object' && 'path' in catalog ? 200 : 404)
    } finally {
      await server.stop()
    }
  },
)
