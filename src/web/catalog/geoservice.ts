import type { GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { startCopying } from '../copy_address.ts'
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
