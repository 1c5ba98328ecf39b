import type { GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { element } from '../element.ts'
import { showAddForm } from '../map/add_basemap.ts'
import { askJson, reasonOf } from '../request.ts'
import { showPreview } from './preview.ts'

startCopying()
const preview = document.querySelector<HTMLElement>('#preview')
if (preview !== null)
  start(preview).catch((error: unknown) => {
    preview.hidden = false
    preview.append(element('p', { class: 'fault', role: 'alert' }, `Cannot show it. ${reasonOf(error)}`))
  })

async function start(section: HTMLElement): Promise<void> {
  const service = await askJson<GeoserviceDetail>(section.dataset.service ?? '')
  showPreview(section, service)
  const add = document.querySelector<HTMLElement>('#add')
  // Without the list of resources the page is still useful.
  if (add !== null) await showAddForm(add, service).catch(() => undefined)
}

/** Time for which the page says that the address was copied, in milliseconds. */
const reportMs = 3000

/** Shows the button that copies the address. */
function startCopying(): void {
  const button = document.querySelector<HTMLButtonElement>('#copy')
  const input = document.querySelector<HTMLInputElement>('#address')
  const report = document.querySelector<HTMLElement>('#copied')
  if (button === null || input === null || report === null) return
  button.hidden = false
  let timer: ReturnType<typeof setTimeout> | undefined
  button.addEventListener('click', async () => {
    clearTimeout(timer)
    report.textContent = ''
    const isCopied = await copy(input)
    report.textContent = isCopied ? 'Copied' : 'Press Ctrl+C to copy'
    if (isCopied)
      timer = setTimeout(() => {
        report.textContent = ''
      }, reportMs)
  })
}

/** Copies the text of an input; tells whether that succeeded, else the text is selected. */
async function copy(input: HTMLInputElement): Promise<boolean> {
  input.select()
  try {
    // Absent on pages without https.
    await navigator.clipboard.writeText(input.value)
    return true
  } catch {
    return document.execCommand('copy')
  }
}
