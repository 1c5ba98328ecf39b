import type { MapConfig } from '../style/map_layers.ts'
import { icons } from './catalog/icons.ts'
import { element, iconButton, parseHtml } from './element.ts'
import { askJson } from './request.ts'

/** Panel with the name of the map and its layers. */
export interface Panel {
  readonly elements: readonly HTMLElement[]
  hide(): void
}

/** Options and event handlers of the panel. */
export interface PanelOptions {
  readonly config: MapConfig
  readonly tree: HTMLElement
  /** Box that finds layers in the tree, if it has one. */
  readonly filter: readonly HTMLElement[]
  /** What is below the layer tree. */
  readonly more: readonly HTMLElement[]
  /** The panel opens. */
  onOpen(): void
}

/** Creates the panel, and the button that shows and hides it. */
export function createPanel({ config, tree, filter, more, onOpen }: PanelOptions): Panel {
  const { webmapTitle, webmapDescription } = config
  const description = webmapDescription
    ? [element('div', { class: 'description' }, parseHtml(webmapDescription))]
    : []
  const panel = element(
    'aside',
    { class: 'card panel', id: 'panel', 'aria-label': 'Map' },
    element('header', {}, element('h1', { title: webmapTitle }, webmapTitle)),
    ...filter,
    element(
      'div',
      { class: 'content' },
      ...description,
      tree.childElementCount === 0 ? emptyNote() : tree,
      ...more,
    ),
  )
  const toggle = iconButton('Layers', icons.layers, () => {
    if (panel.hidden) onOpen()
    setShown(panel.hidden === true)
  })
  toggle.classList.add('card', 'panel-toggle')
  toggle.setAttribute('aria-controls', panel.id)
  const setShown = (shown: boolean) => {
    panel.hidden = !shown
    toggle.setAttribute('aria-expanded', String(shown))
  }
  // On a small screen the panel is initially closed.
  setShown(!isNarrow())
  return { elements: [toggle, panel], hide: () => setShown(false) }
}

/** Tells whether the screen has space for only one panel. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 640px)').matches
}

/** Creates the note of an empty map; guests get a login button. */
function emptyNote(): HTMLElement {
  const note = element('p', { class: 'note' }, 'This map has no layers that you can view.')
  askJson<{ keyname: string }>('/api/component/auth/current_user').then(
    ({ keyname }) => {
      const login = () => location.assign(loginAddress())
      if (keyname === 'guest')
        note.append(element('button', { type: 'button', class: 'plain', click: login }, 'Log in'))
    },
    // The note is sufficient.
    () => undefined,
  )
  return note
}

/** Returns the login URL, which redirects back to the current view. */
export function loginAddress(): string {
  return `/login?next=${encodeURIComponent(location.pathname + location.search)}`
}
