import { afterAll, beforeAll, expect, test } from 'vitest'
import { groupBody, openBatchClient } from '../support/batch.ts'
import { useBrowser } from '../support/browser.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

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

test('the tree is walked, and logged in to, without a mouse', async () => {
  const page = await browser.open(`${server.url}/login?next=/resource/0`)
  await page.keyboard.type('administrator')
  await page.keyboard.press('Tab')
  await page.keyboard.type(adminPassword)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/resource/0')
  for (const name of ['Mountains', 'Alps']) {
    await page.getByRole('link', { name }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  expect(await page.getByRole('navigation', { name: 'Path' }).innerText()).toMatch(/Main.*Mountains.*Alps/s)
  await page.getByRole('button', { name: 'Log out' }).press('Enter')
  browser.expectComplaint(/403/)
  await page.getByText('Log in').waitFor()
})
