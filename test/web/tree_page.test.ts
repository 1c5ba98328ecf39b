import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groupBody, openBatchClient } from '../support/batch.ts'
import { useBrowser } from '../support/browser.ts'
import { findLowContrast } from '../support/contrast.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createLayer, createResource } from '../support/tree.ts'

const browser = useBrowser()
let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
  await openBatchClient(server).run([
    { op: 'create', name: 'g', body: groupBody('Mountains') },
    { op: 'create', body: groupBody('Alps', 'g') },
  ])
})
afterAll(() => server.stop())

async function logIn(page: Page): Promise<void> {
  await page.locator('[name=login]:focus').waitFor()
  await page.keyboard.type('administrator')
  await page.keyboard.press('Tab')
  await page.keyboard.type(adminPassword)
  await page.keyboard.press('Enter')
}

test('the tree can be browsed, including login, without a mouse', async () => {
  const page = await browser.open(`${server.url}/login?next=/resource/0`)
  await logIn(page)
  await page.waitForURL('**/resource/0')
  for (const name of ['Mountains', 'Alps']) {
    await page.getByRole('link', { name }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  expect(await page.getByRole('navigation', { name: 'Path' }).innerText()).toMatch(/Main.*Mountains.*Alps/s)
  await page.getByRole('button', { name: 'Log out' }).press('Enter')
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
})

test('a wide table scrolls by itself on a small screen', async () => {
  const id = await createLayer(server.admin, {
    parent: 0,
    name: 'Wide',
    geometryType: 'POINT',
    fields: [{ keyname: 'a', datatype: 'STRING' }],
  })
  const page = await browser.open(`${server.url}/login?next=/resource/${id}`, { width: 360, height: 640 })
  await logIn(page)
  await page.getByRole('cell', { name: 'STRING', exact: true }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

test.each(['light', 'dark'] as const)(
  'with %s colours the addresses of a service are legible, fit a phone, and are copied',
  async (colorScheme) => {
    const members = { wmsserver_service: { layers: [] } }
    const id = await createResource(server.admin, {
      ...{ cls: 'wmsserver_service', parent: 0, name: `Maps, ${colorScheme}`, members },
    })
    const phone = { width: 360, height: 640, colorScheme }
    const page = await browser.open(`${server.url}/login?next=/resource/${id}`, phone)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await logIn(page)
    await page.getByRole('heading', { name: 'Addresses' }).waitFor()
    expect(await findLowContrast(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.getByRole('button', { name: 'Copy WMTS', exact: true }).press('Enter')
    await page.getByText('Copied').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(await page.getByLabel('WMTS', { exact: true }).inputValue())
    expect(copied).toBe(`${server.url}/api/resource/${id}/wmts/1.0.0/WMTSCapabilities.xml`)
  },
)
