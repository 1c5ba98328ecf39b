import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatPlanPage } from '../../../src/cli/print/page/plan_page.ts'
import { type Block, planOf } from '../../reconcile/support/literals.ts'
import { useBrowser } from '../../support/browser.ts'

const hostile = `"'><script>document.title='hacked'</script><img src=x onerror="document.title='hacked'">\u202e`

const blocks: Readonly<Record<string, Block>> = {
  city: { displayName: 'City' },
  roads: { parent: 'city', displayName: 'Roads', description: `${hostile}${'long '.repeat(30)}` },
  rivers: { parent: 'city', displayName: 'Rivers' },
  [hostile]: { parent: 'city', displayName: hostile },
}
const rows = [
  { id: 1, key: 'city', name: 'City' },
  { id: 2, key: 'roads', parent: 1, name: 'Old roads', description: 'short '.repeat(30) },
  { id: 9, key: 'gone', parent: 1, name: 'Gone' },
]

let page = ''
const server = createServer((_, answer) =>
  answer.setHeader('content-type', 'text/html; charset=utf-8').end(page),
)
let url: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const browser = useBrowser()

async function open(options: Parameters<typeof browser.open>[1] = {}): Promise<Page> {
  const plan = planOf({ blocks, rows, options: { prune: true, fuse: 1 } })
  const issues = [
    ...plan.issues,
    { code: 'plan/fuse', severity: 'error' as const, message: `deleting ${hostile}` },
  ]
  page = formatPlanPage({ plan: { ...plan, issues }, sources: new Map() })
  return browser.open(url, options)
}

const shownKeys = (tab: Page) => tab.locator('.tree li:visible > .head code').allTextContents()

describe('the page of a plan', () => {
  it('shows the tree of changes, errors and what the plan is based on', async () => {
    const tab = await open()
    expect(await tab.title()).toMatch(
      /^Plan for test: 2 to create, 1 to update, 1 to delete, 2 unchanged\. It cannot/,
    )
    expect(await tab.locator('dl').innerText()).toMatch(/Account\s+ada/)
    expect(await tab.locator('.issues.error pre').isVisible()).toBe(true)
    expect(await tab.locator('.tree > li > .place').textContent()).toBe('Main')
    expect((await shownKeys(tab)).slice(0, 2)).toEqual(['roads', 'rivers'])
    expect(await tab.locator('li.update > pre').innerText()).toContain('"Old roads" → "Roads"')
  })

  it('finds changes by words and marks, with the places above them', async () => {
    const tab = await open()
    await tab.getByRole('searchbox').fill('ROADS display')
    expect(await shownKeys(tab)).toEqual(['roads'])
    expect(await tab.locator('output').textContent()).toBe('1 of 4 changes')
    expect(await tab.locator('.place:visible').first().textContent()).toBe('Main')
    await tab.getByRole('searchbox').fill('')
    await tab.getByLabel('2 to create').uncheck()
    await tab.getByLabel('1 to delete').uncheck()
    expect(await shownKeys(tab)).toEqual(['roads'])
    await tab.getByRole('searchbox').fill('nothing')
    expect(await tab.locator('output').textContent()).toBe('0 of 4 changes')
    expect(await tab.locator('.tree li:visible').count()).toBe(0)
  })

  it('runs no scripts of names, and requests nothing', async () => {
    const tab = await open()
    expect(await tab.title()).not.toBe('hacked')
    expect(await tab.locator('img').count()).toBe(0)
    expect(await tab.locator('script').count()).toBe(1)
    expect(page).not.toContain('\u202e')
  })

  it('shows all changes without scripts, fits a narrow window, and follows the dark mode', async () => {
    const plain = await open({ javaScriptEnabled: false })
    expect(await plain.locator('form.filter').isVisible()).toBe(false)
    expect(await shownKeys(plain)).toHaveLength(4)
    const narrow = await open({ width: 320, colorScheme: 'dark' })
    const width = await narrow.evaluate('document.documentElement.scrollWidth')
    const paper = await narrow.evaluate('getComputedStyle(document.body).backgroundColor')
    expect([width, paper]).toEqual([320, 'rgb(22, 30, 38)'])
  })

  it('says that nothing changes', async () => {
    page = formatPlanPage({ plan: planOf({ blocks: {}, rows: [] }), sources: new Map() })
    const tab = await browser.open(url)
    expect(await tab.locator('main').innerText()).toContain('No changes.')
  })
})
