/** Completion for shells. Where a word is completed is found in the same way by all: by the words before it. */

interface Completed {
  readonly word: string;
  readonly about: string;
}

export interface Place {
  /** The words before it, each with a space before: '' after the program, ' user list' after that command. */
  readonly at: string;
  /** Commands below it, and values that an argument may have. */
  readonly words: readonly Completed[];
  readonly options: readonly (Completed & { readonly takesValue: boolean })[];
}

function namesOf({ words, options }: Place): string {
  return [...words, ...options].map(({ word }) => word).join(' ');
}

/** In single quotes, as sh and its kind read them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The places after another one. */
function inner(places: readonly Place[]): readonly Place[] {
  return places.filter(({ at }) => at !== '');
}

/** Sets `at` to the place of the word that is completed; `words` are those between the program and it. */
function walk(places: readonly Place[], words: string): string {
  const known = inner(places).map(({ at }) => quoted(at));
  return `  local at='' word
  for word in ${words}; do
    case "$at $word" in
      ${known.join('|')}) at="$at $word" ;;
    esac
  done`;
}

export function bashScript(places: readonly Place[]): string {
  const cases = places.map((place) => `    ${quoted(place.at)}) names=${quoted(namesOf(place))} ;;`);
  return `# bash completion for gatehouse
_gatehouse() {
${walk(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local names=''
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$names" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gatehouse gatehouse
`;
}

export function zshScript(places: readonly Place[]): string {
  const described = ({ words, options }: Place) =>
    [...words, ...options].map(({ word, about }) => quoted(`${word}:${about}`)).join(' ');
  const cases = places.map((place) => `    ${quoted(place.at)}) found=(${described(place)}) ;;`);
  return `#compdef gatehouse
_gatehouse() {
${walk(places, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a found
  case "$at" in
${cases.join('\n')}
  esac
  _describe gatehouse found || _files
}
if [ "$funcstack[1]" = _gatehouse ]; then
  _gatehouse "$@"
else
  compdef _gatehouse gatehouse
fi
`;
}

export function fishScript(places: readonly Place[]): string {
  const text = (about: string) => `'${about.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const rules = places.flatMap(({ at, words, options }) => {
    const here = `complete -c gatehouse -n "__gatehouse_at '${at}'"`;
    return [
      ...words.map(({ word, about }) => `${here} -f -a ${word} -d ${text(about)}`),
      ...options.map(
        ({ word, about, takesValue }) => `${here} -l ${word.slice(2)}${takesValue ? ' -r' : ''} -d ${text(about)}`,
      ),
    ];
  });
  return `# fish completion for gatehouse
function __gatehouse_at
  set -l at ''
  set -l words (commandline -opc)
  for word in $words[2..]
    switch "$at $word"
      case ${inner(places)
        .map(({ at }) => text(at))
        .join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${rules.join('\n')}
`;
}
