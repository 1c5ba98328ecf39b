import { reasonOf } from './request.ts'

/** Time between the last change of the form and the request, in milliseconds. */
const pauseMs = 150

const form = find('#search') as HTMLFormElement
const count = find('#count')
const results = find('#results')
let timer: ReturnType<typeof setTimeout> | undefined
let running = new AbortController()

form.addEventListener('input', () => {
  clearTimeout(timer)
  // The response to earlier input is outdated.
  running.abort()
  timer = setTimeout(refresh, pauseMs)
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void refresh()
})
// Going back, browsers restore what was typed, even if the URL is older.
window.addEventListener('pageshow', () => {
  if (conditionsOf(location.search) !== conditionsOf(formQuery())) void refresh()
})

/** Shows the geoservices that match the form, and writes the form into the URL. */
async function refresh(): Promise<void> {
  clearTimeout(timer)
  running.abort()
  running = new AbortController()
  const { signal } = running
  const query = formQuery()
  const address = query === '' ? form.action : `${form.action}?${query}`
  history.replaceState(null, '', address)
  results.setAttribute('aria-busy', 'true')
  try {
    const page = await readPage(address, signal)
    if (signal.aborted) return
    show(page)
  } catch (error) {
    if (signal.aborted) return
    count.textContent = `Cannot search. ${reasonOf(error)}`
    count.className = 'fault'
  }
  results.removeAttribute('aria-busy')
}

function show(page: Document): void {
  const [text, list] = [page.querySelector('#count'), page.querySelector('#results')]
  count.textContent = text?.textContent ?? ''
  count.className = text?.className ?? ''
  results.replaceChildren(...(list?.childNodes ?? []))
}

/** Reads the page of the server for other conditions: the server alone writes lists. */
async function readPage(address: string, signal: AbortSignal): Promise<Document> {
  const ask = () => fetch(address, { headers: { accept: 'text/html' }, signal })
  const first = await ask()
  // The session has ended, and the response has deleted its cookie: continue as a guest.
  const response = first.status === 401 ? await ask() : first
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  if (page.querySelector('#results') === null) throw new Error(`The server returned ${response.status}.`)
  return page
}

/** Returns the conditions of the form as a URL query, without empty ones. */
function formQuery(): string {
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  return new URLSearchParams(entries.filter(([, value]) => value !== '')).toString()
}

/** Returns a URL query without empty conditions and the position in the list. */
function conditionsOf(query: string): string {
  const entries = [...new URLSearchParams(query)].filter(([name, value]) => name !== 'offset' && value !== '')
  return new URLSearchParams(entries).toString()
}

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`The page lacks ${selector}.`)
  return found
}
