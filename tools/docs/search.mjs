import MiniSearch from 'minisearch';

/** Results that are shown. */
const SHOWN_MAX = 20;

const top = document.body.dataset.top;
const input = document.querySelector('#search');
const found = document.querySelector('#found');
let index = null;

input.addEventListener('focus', () => void load());
input.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input) return;
  event.preventDefault();
  input.focus();
});

/** The entries are fetched when somebody begins to search. */
function load() {
  index ??= fetch(`${top}/search.json`)
    .then((answer) => answer.json())
    .then((entries) => {
      const made = new MiniSearch({
        fields: ['title', 'text'],
        storeFields: ['title', 'address'],
        searchOptions: { boost: { title: 3 }, prefix: true, combineWith: 'AND' },
      });
      made.addAll(entries.map(([title, address, text], id) => ({ id, title, address, text })));
      return made;
    });
  return index;
}

async function show() {
  const words = input.value.trim();
  const results = words === '' ? [] : (await load()).search(words).slice(0, SHOWN_MAX);
  // A later text was typed while this one was looked up.
  if (words !== input.value.trim()) return;
  const list = document.createElement('ul');
  for (const { title, address } of results) {
    const link = document.createElement('a');
    link.href = `${top}/${address}`;
    link.textContent = title;
    const row = document.createElement('li');
    row.append(link);
    list.append(row);
  }
  found.replaceChildren(...(results.length > 0 ? [list] : words === '' ? [] : ['Nothing found.']));
}
