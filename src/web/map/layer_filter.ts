import { foldName, wordsOfSearch } from '../../contract/name_words.ts'
import { listLayers, type MapItem } from '../../style/map_layers.ts'
import { element } from '../element.ts'

/** Shows some items of a layer tree, by id; all of them, as before, for undefined. */
export type ShowItems = (shown: ReadonlySet<number> | undefined) => void

/** Number of layers from which a tree has a box to find some of them. */
const leastLayers = 10

/** Creates the box that finds layers by words of their names and of the groups above them; nothing for small trees. */
export function createLayerFilter(items: readonly MapItem[], show: ShowItems): HTMLElement[] {
  const count = listLayers(items).length
  if (count < leastLayers) return []
  const box = element('input', {
    ...{ type: 'search', placeholder: 'Find a layer', 'aria-label': 'Find a layer' },
    ...{ autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'search' },
  })
  const note = element('p', { class: 'note', role: 'status' })
  const update = () => {
    const words = wordsOfSearch(box.value)
    const shown = words.length === 0 ? undefined : findItems(items, words)
    show(shown?.ids)
    note.textContent = shown === undefined ? '' : countText(shown.layers, count)
  }
  box.addEventListener('input', update)
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || box.value === '') return
    event.preventDefault()
    event.stopPropagation()
    box.value = ''
    update()
  })
  return [element('div', { class: 'filter', role: 'search' }, box, note)]
}

function countText(found: number, count: number): string {
  return found === 0 ? 'No layer has this name.' : `${found} of ${count} layers`
}

/** Items that are found: layers, and the groups above them. */
interface FoundItems {
  readonly ids: Set<number>
  layers: number
}

/** Finds the layers that have all words in their name or in those of the groups above them. */
function findItems(items: readonly MapItem[], words: readonly string[]): FoundItems {
  const found: FoundItems = { ids: new Set(), layers: 0 }
  const find = (list: readonly MapItem[], left: readonly string[]): boolean => {
    let isFound = false
    for (const item of list) {
      const name = foldName(item.label)
      const missing = left.filter((word) => !name.includes(word))
      const isShown = item.type === 'group' ? find(item.children, missing) : missing.length === 0
      if (!isShown) continue
      isFound = true
      found.ids.add(item.id)
      if (item.type !== 'group') found.layers += 1
    }
    return isFound
  }
  find(items, words)
  return found
}
