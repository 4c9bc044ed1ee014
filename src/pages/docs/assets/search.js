// Searches the documentation with what the page carries. Runs in the browser, as a classic script so that it also runs
// from a folder.
'use strict';

{
  const stopWords = new Set(
    'a an and are at be by can do does for from get has have how i if in is it its me my of on or our should so that the their them there they this to use was we what when where which who why will with you your'.split(
      ' ',
    ),
  );
  /** Words as they are compared: lower case, without the ending that a plural or a form of a verb adds. */
  const processTerm = (term) => {
    const word = term.toLowerCase();
    if (stopWords.has(word)) return null;
    return word.length > 4 ? word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ing|ed|es|s)$/, '') : word;
  };
  const create = () =>
    new globalThis.MiniSearch({
      fields: ['page', 'about', 'heading', 'text'],
      storeFields: ['page', 'pageHref', 'about', 'heading', 'href'],
      processTerm,
      searchOptions: {
        boost: { page: 4, about: 3, heading: 2 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      },
    });

  /** What has most words of the question comes first, so that one rare word does not outweigh all others. */
  const byCoverage = (results) =>
    results
      .map((result) => ({ ...result, score: result.score * new Set(result.queryTerms).size }))
      .sort((one, other) => other.score - one.score);

  /** The best pages for a question, each with its best sections. */
  const search = (index, question) => {
    const pages = new Map();
    for (const result of byCoverage(index.search(question))) {
      const page = pages.get(result.pageHref);
      if (!page) pages.set(result.pageHref, { ...result, sections: [result] });
      else if (page.sections.length < 3) page.sections.push(result);
    }
    return [...pages.values()].slice(0, 20);
  };

  const linkTo = (href, text) => {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = text;
    return link;
  };

  const show = (list, pages) => {
    list.replaceChildren(
      ...pages.map(({ page, pageHref, about, sections }) => {
        const item = document.createElement('li');
        const heading = document.createElement('h2');
        heading.append(linkTo(pageHref, page));
        const summary = document.createElement('p');
        summary.className = 'summary';
        summary.textContent = about;
        item.append(heading, summary);
        for (const section of sections.filter(({ href, heading: name }) => href !== pageHref && name !== page)) {
          const line = document.createElement('p');
          line.append(linkTo(section.href, section.heading));
          item.append(line);
        }
        return item;
      }),
    );
  };

  const start = () => {
    const index = create();
    index.addAll(JSON.parse(document.getElementById('entries').textContent));
    const field = document.getElementById('q');
    const status = document.getElementById('status');
    const list = document.getElementById('results');
    const update = () => {
      const question = field.value.trim();
      const pages = question === '' ? [] : search(index, question);
      show(list, pages);
      if (question === '') status.textContent = '';
      else status.textContent = pages.length === 0 ? 'Nothing found. Try other words.' : `${pages.length} found`;
    };
    field.value = new URLSearchParams(location.search).get('q') ?? '';
    field.addEventListener('input', update);
    update();
  };

  if (globalThis.document) start();
  // The test asks the same questions without a browser.
  else globalThis.documentationSearch = { create, search };
}
