import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePhoto, openAttachments } from '../../support/attachments.ts'
import { untilDrawn, untilTrue, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource, createStyle } from '../../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let map: number
let path: string
let photo: number

beforeAll(async () => {
  server = await startTestServer('pglite')
  const { admin } = server
  const { parent } = await makeOpenGroup(server)
  const items = { 1: 'Oak', 2: 'Ash <img>' }
  const trees = await createResource(admin, {
    ...{ cls: 'lookup_table', parent, name: 'Trees', members: { lookup_table: { items } } },
  })
  const layer = await createLayer(admin, {
    ...{ parent, name: 'Woods', geometryType: 'POLYGON' },
    fields: [
      { ...{ keyname: 'tree', datatype: 'INTEGER', display_name: 'Tree' }, lookup_table: { id: trees } },
      { keyname: 'age', datatype: 'INTEGER', display_name: 'Age' },
    ],
  })
  await admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, [
    {
      geom: 'POLYGON((-20 -10, 20 -10, 20 10, -20 10, -20 -10))',
      fields: { tree: 2, age: 80 },
      extensions: { description: '<p>Planted <b>long ago</b>.<img src=x onerror="document.title=1"></p>' },
    },
  ])
  const client = openAttachments(admin, layer, 1)
  path = client.path
  photo = await client.attach(await makePhoto(), { name: 'wood.jpg', mime_type: 'image/jpeg' })
  await client.attach('no image', { name: 'broken.png', mime_type: 'image/png' })
  await client.attach('text '.repeat(400), { name: 'report.txt', description: 'Of 2020' })
  const style = await createStyle(admin, { parent: layer, name: 'Style' })
  const children = [{ item_type: 'layer', display_name: 'Woods', layer_style_id: style }]
  map = await createResource(admin, {
    ...{
      cls: 'webmap',
      parent,
      name: 'Map',
      members: { webmap: { root_item: { item_type: 'root', children } } },
    },
  })
})
afterAll(() => server.stop())

test('a found feature shows labels beside codes, its description, and its attachments', async () => {
  const page = await browser.open(`${server.url}/resource/${map}/display?lon=0&lat=0&zoom=4`)
  await untilDrawn(page)
  await page.mouse.click(600, 350)
  const found = page.locator('.features details[open]')
  await found.waitFor()
  expect(await found.locator('td').allTextContents()).toEqual(['Ash <img> 2', '80', '1'])
  expect(await found.locator('.description').innerHTML()).toBe('<p>Planted <b>long ago</b>.</p>')
  // The image without a preview is gone: the other one is left.
  await untilTrue(page, `document.querySelectorAll('.attachments img').length === 1`)
  await untilTrue(page, `document.querySelector('.attachments img').naturalWidth > 0`)
  const links = found.locator('.attachments a')
  expect(await links.allTextContents()).toEqual(['wood.jpg', 'broken.png', 'report.txt'])
  expect(await links.first().getAttribute('href')).toBe(`${path}${photo}/download`)
  expect(await found.locator('.attachments .about').last().textContent()).toBe('2.0 kB · Of 2020')
})
