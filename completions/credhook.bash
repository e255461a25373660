# bash completion for credhook. The binary itself says what could come next, from the rows its parser reads:
# `credhook help --complete -- WORD...` prints a candidate and its meaning per line, and ":files PREFIX" where names of
# files go too. Nothing of the bash-completion package is needed.

_credhook() {
	local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]/#\~\//$HOME/}
	local words=() part rest i candidate directive='' prefix=''

	# bash splits words at COMP_WORDBREAKS, '=' and ':' among them; a program gets them whole.
	rest=$line
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		local trimmed=${rest#"${rest%%[![:space:]]*}"}
		((i == COMP_CWORD)) && part=$trimmed
		if ((i > 0)) && [[ $trimmed == "$rest" && -n $line ]]; then
			words[${#words[@]} - 1]+=$part
		else
			words+=("$part")
		fi
		rest=${trimmed#"$part"}
	done

	# An open quote is not part of the word, and bash does not split within it.
	local last=$((${#words[@]} - 1)) quoted=
	local word=${words[last]}
	if [[ $word == [\"\']* ]]; then
		quoted=yes
		word=${word:1}
	elif [[ $COMP_WORDBREAKS == *=* && $COMP_WORDBREAKS == *:* ]]; then
		prefix=${word%"${word##*[=:]}"}
	elif [[ $COMP_WORDBREAKS == *=* ]]; then
		prefix=${word%"${word##*=}"}
	elif [[ $COMP_WORDBREAKS == *:* ]]; then
		prefix=${word%"${word##*:}"}
	fi
	words[last]=$word
	for ((i = 1; i < last; i++)); do
		words[i]=${words[i]/#\~\//$HOME/}
	done

	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		if [[ $candidate == :* ]]; then
			directive=$candidate
		elif [[ -n $quoted ]]; then
			COMPREPLY+=("$candidate")
		else
			candidate=${candidate#"$prefix"}
			[[ $candidate == *[!a-zA-Z0-9_./:=,@%+-]* ]] && printf -v candidate %q "$candidate"
			COMPREPLY+=("$candidate")
		fi
	done < <("$program" help --complete -- "${words[@]:1}" 2>/dev/null)

	if [[ -n $directive ]]; then
		local before=${directive#* }
		word=${word#"$before"}
		before=${before#"$prefix"}
		compopt -o filenames 2>/dev/null
		while IFS= read -r candidate; do
			COMPREPLY+=("$before$candidate")
		done < <(compgen -A file -- "$word")
	fi
	if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=/:,] ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

complete -F _credhook credhook
