// Sends the one form of the page at once. Where no script runs, its button does.
document.forms[0].submit();
