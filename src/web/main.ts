import { element } from './element.ts'
import { startPage } from './page.ts'

const { webmap, tiny } = document.body.dataset

startPage({ id: Number(webmap), tiny: tiny !== undefined }).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  document.body.replaceChildren(
    element(
      'main',
      { class: 'failure', role: 'alert' },
      element('h1', {}, 'The map cannot be shown'),
      element('p', {}, reason),
      element('button', { type: 'button', class: 'plain', click: () => location.reload() }, 'Try again'),
    ),
  )
})
